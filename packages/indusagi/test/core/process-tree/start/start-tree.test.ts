import { readdirSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { CoreError, protectionLevel, SpawnError, startTree, TreeInputError } from "indusagi/core";
import { expect } from "vitest";
import { aliveWith, newMark } from "../tree-shapes.ts";

const env = { PATH: process.env["PATH"] };
const only = ["linux", "darwin"] as const;

async function output(command: string, args: readonly string[], options: object = {}): Promise<string> {
  let said = "";
  const tree = await startTree(command, args, {
    env,
    ...options,
    onStdout: (chunk) => void (said += chunk.toString()),
  });
  await tree.gone;
  return said;
}

verifies(
  "tree:exit",
  "code and signal are reported as soon as the process itself has exited",
  async () => {
    const coded = await startTree("/bin/sh", ["-c", "exit 42"], { env });
    expect(await coded.exited).toEqual({ code: 42, signal: null });
    const signalled = await startTree("/bin/sh", ["-c", "kill -9 $$"], { env });
    expect(await signalled.exited).toEqual({ code: null, signal: "SIGKILL" });

    const mark = newMark();
    const holder = await startTree("/bin/sh", ["-c", `sleep ${mark} & echo here`], {
      env,
      drainGraceMs: 2_000,
    });
    await holder.exited;
    expect(aliveWith(mark).length).toBe(1);
    await holder.end({ graceMs: 100 });
  },
  { only: ["linux"] },
);

verifies(
  "tree:output",
  "all output is received, up to the last byte before the exit",
  async () => {
    let bytes = 0;
    const tree = await startTree(
      "/bin/sh",
      ["-c", "head -c 3000000 /dev/zero; head -c 1000001 /dev/zero >&2"],
      {
        env,
        onStdout: (chunk) => void (bytes += chunk.length),
        onStderr: (chunk) => void (bytes += chunk.length),
      },
    );
    await tree.gone;
    expect(bytes).toBe(4_000_001);
  },
  { only },
);

verifies(
  "tree:output",
  "a listener that returns a promise slows the process down; one that throws does not stop the reading",
  async () => {
    let busy = 0;
    let mostBusy = 0;
    let bytes = 0;
    const slow = await startTree("/bin/sh", ["-c", "head -c 2000000 /dev/zero"], {
      env,
      onStdout: async (chunk) => {
        // Before the wait: the process may be gone before the last chunk is worked off.
        bytes += chunk.length;
        busy += 1;
        mostBusy = Math.max(mostBusy, busy);
        await new Promise((resolve) => setTimeout(resolve, 1));
        busy -= 1;
      },
    });
    await slow.gone;
    expect(bytes).toBe(2_000_000);
    // Node releases the last bytes when the process exits; until then chunks come one at a time.
    expect(mostBusy).toBeLessThan(5);

    const throwing = await startTree("/bin/sh", ["-c", "head -c 1000000 /dev/zero"], {
      env,
      onStdout: () => {
        throw new Error("no");
      },
    });
    expect((await throwing.gone).code).toBe(0);
  },
  { only },
);

verifies(
  "tree:input",
  "hundreds of writes at once arrive in order, without a warning about listeners",
  async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    let said = "";
    const tree = await startTree("/bin/cat", [], {
      env,
      stdin: "pipe",
      onStdout: (chunk) => void (said += chunk.toString()),
    });
    const lines = Array.from({ length: 500 }, (_, index) => `${index} ${"x".repeat(1_000)}\n`);
    await Promise.all(lines.map((line) => tree.write(line)));
    tree.closeInput();
    await tree.gone;
    process.off("warning", onWarning);
    expect(said).toBe(lines.join(""));
    expect(warnings).toEqual([]);
  },
  { only },
);

verifies(
  "tree:input",
  "a process that closes its input, exits or stops reading only rejects the write",
  async () => {
    const closed = await startTree("/bin/sh", ["-c", "exec <&-; sleep 0.2"], { env, stdin: "pipe" });
    const unheard = Array.from({ length: 50 }, () => closed.write("x".repeat(10_000)));
    await closed.gone;
    const results = await Promise.allSettled(unheard);
    expect(results.some((result) => result.status === "rejected")).toBe(true);
    await expect(closed.write("more")).rejects.toBeInstanceOf(TreeInputError);
    await expect(closed.write("more")).rejects.toMatchObject({ kind: "input_closed" });

    const deaf = await startTree("/bin/sleep", [newMark()], {
      env,
      stdin: "pipe",
      maxQueuedInputBytes: 100_000,
    });
    void deaf.write("x".repeat(1_000_000));
    await expect(deaf.write("x")).rejects.toMatchObject({ kind: "input_full" });
    await deaf.end({ graceMs: 20 });

    const without = await startTree("/bin/cat", [], { env });
    await expect(without.write("x")).rejects.toMatchObject({ kind: "input_closed" });
    expect((await without.gone).code).toBe(0);
  },
  { only },
);

verifies(
  "tree:environment",
  "the environment is the given one and the cookie, which outer trees share",
  async () => {
    const said = await output("/usr/bin/env", [], { env: { A: "1", B: undefined } });
    const lines = said.trim().split("\n").sort();
    expect(lines.length).toBe(2);
    expect(lines[0]).toBe("A=1");
    expect(lines[1]).toMatch(/^INDUS_TREE=[0-9A-HJKMNP-TV-Z]{26}$/);

    process.env["INDUS_TREE"] = "OUTER";
    try {
      expect(await output("/usr/bin/env", [], { env: {} })).toMatch(
        /^INDUS_TREE=OUTER:[0-9A-HJKMNP-TV-Z]{26}\n$/,
      );
    } finally {
      delete process.env["INDUS_TREE"];
    }
  },
  { only },
);

verifies(
  "tree:spawn-error",
  "each failure to start is a SpawnError with its code, and no file descriptor stays open",
  async () => {
    await using dir = await tempDir();
    await writeFile(dir.at("plain"), "not a program");
    await writeFile(dir.at("program"), "#!/bin/sh\n");
    await chmod(dir.at("program"), 0o755);
    const cases: readonly [string, readonly string[], object, string, RegExp][] = [
      ["no-such-command-here", [], {}, "ENOENT", /"no-such-command-here": there is no such command/],
      [dir.at("plain"), [], {}, "EACCES", /permission denied, or not an executable/],
      [dir.path, [], {}, "EACCES", /permission denied, or not an executable/],
      [dir.at("program"), [], { cwd: dir.at("gone") }, "ENOENT", /working directory ".*gone" does not exist/],
      ["/bin/echo", ["x".repeat(4_000_000)], {}, "E2BIG", /too long/],
      ["/bin/echo", ["a\0b"], {}, "ERR_INVALID_ARG_VALUE", /NUL/],
    ];
    // The first start opens the pipe to the watchdog, which stays.
    await output("/bin/echo", []);
    const before = openFiles();
    for (const [command, args, options, code, message] of cases) {
      const thrown = await startTree(command, args, { env, stdin: "pipe", ...options }).catch(
        (error: unknown) => error,
      );
      expect(thrown, command).toBeInstanceOf(SpawnError);
      expect(CoreError.is(thrown)).toBe(true);
      expect(thrown).toMatchObject({ kind: "spawn_failed", code });
      expect((thrown as Error).message).toMatch(message);
      expect((thrown as Error).message.length).toBeLessThan(400);
    }
    for (let round = 0; round < 20; round += 1) await output("/bin/echo", [], { stdin: "pipe" });
    expect(openFiles()).toBeLessThanOrEqual(before + 2);
  },
  { only: ["linux"] },
);

verifies("tree:level", "the level of each platform is reported with its limits", () => {
  expect(protectionLevel("win32")).toMatchObject({ level: "taskkill", survivesKill: true });
  expect(protectionLevel("darwin").level).toBe("group");
  expect(protectionLevel("darwin").message).toContain("may be missed");
  if (process.platform === "linux") {
    expect(protectionLevel().level).toBe("full");
    expect(protectionLevel().message).toMatch(/new session, without INDUS_TREE .* is not found/);
  }
  expect(protectionLevel().message).toContain("watchdog");
  const onDeno = protectionLevel("linux", { ...process.versions, deno: "2.9.6" });
  expect(onDeno.survivesKill).toBe(false);
  expect(onDeno.message).toMatch(/; no watchdog: its program does not run on Deno; processes .* may survive/);
  expect(protectionLevel("linux", { ...process.versions, bun: "1.4.4" }).survivesKill).toBe(true);
});

function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}
