import { mkdir, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { localShell, type ShellExit, type ShellWrap, type WrappedLaunch } from "indusagi/capabilities";
import { SpawnError } from "indusagi/core";
import { expect } from "vitest";
import { aliveWith, becomesTrue, newMark } from "../../../core/process-tree/tree-shapes.ts";

const only = ["linux", "darwin"] as const;
const shell = localShell();

verifies(
  "shell:result",
  "output, code and signal are returned; a command may begin with a dash and may exec",
  async () => {
    expect(await shell.exec("echo out; echo err >&2; exit 3")).toEqual({
      stdout: "out\n",
      stderr: "err\n",
      code: 3,
    });
    expect(await shell.exec("kill -USR1 $$")).toEqual({
      stdout: "",
      stderr: "",
      code: null,
      signal: "SIGUSR1",
    });
    expect((await shell.exec("-x 2>/dev/null; echo on")).stdout).toBe("on\n");
    expect((await shell.exec("exec echo replaced")).stdout).toBe("replaced\n");
    expect((await localShell({ shellPath: "/bin/sh" }).exec("echo $0")).stdout).toBe("/bin/sh\n");
  },
  { only },
);

verifies(
  "shell:stdin",
  "standard input is empty, or the given input",
  async () => {
    expect((await shell.exec("cat; read line; echo $?")).stdout).toBe("1\n");
    expect((await shell.exec("cat", { input: "gegeben ✓" })).stdout).toBe("gegeben ✓");
    // More than fits into a pipe, to a process that does not read it.
    expect((await shell.exec("exit 4", { input: "x".repeat(1_000_000) })).code).toBe(4);
  },
  { only },
);

verifies(
  "shell:environment",
  "no start-up file runs, no pager waits, and names can be added and removed",
  async () => {
    await using dir = await tempDir();
    process.env["BASH_ENV"] = dir.at("rc");
    process.env["ENV"] = dir.at("rc");
    try {
      const { stdout } = await localShell({ env: { ADDED: "1", HOME: undefined } }).exec("env", {
        env: { MORE: "2" },
      });
      const names = stdout.split("\n").map((line) => line.split("=")[0] ?? "");
      for (const name of ["ADDED", "MORE", "PATH", "GIT_PAGER", "PAGER"]) expect(names).toContain(name);
      for (const name of ["HOME", "BASH_ENV", "ENV", "VITEST", "NODE_ENV"]) expect(names).not.toContain(name);
      expect(stdout).toContain("TERM=dumb\n");
    } finally {
      delete process.env["BASH_ENV"];
      delete process.env["ENV"];
    }
  },
  { only },
);

verifies(
  "shell:background",
  "a background child, with or without output, neither delays the result nor survives",
  async () => {
    const mark = newMark();
    const startedMs = performance.now();
    const result = await shell.exec(
      `sleep ${mark} & (setsid sleep ${mark} &) ; (sleep 0.01; echo late) & echo done`,
    );
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    expect(result).toMatchObject({ stderr: "", code: 0 });
    expect(result.stdout).toMatch(/^done\n(late\n)?$/);
    expect(aliveWith(mark)).toEqual([]);

    const chatty = await shell.exec(`(while :; do echo more; sleep 0.005; done) & echo ${mark}; exit 2`);
    expect(chatty.code).toBe(2);
    expect(chatty.stdout.startsWith(mark) || chatty.stdout.startsWith("more")).toBe(true);
  },
  { only: ["linux"] },
);

verifies(
  "shell:abort",
  "an abort before the start and one during the run reject with their reason",
  async () => {
    const reason = new Error("enough");
    await expect(shell.exec("echo", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);

    const mark = newMark();
    const abort = new AbortController();
    const running = shell.exec(`(setsid sleep ${mark} &); sleep ${mark}`, { signal: abort.signal });
    expect(await becomesTrue(() => aliveWith(mark).length > 1)).toBe(true);
    abort.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(aliveWith(mark)).toEqual([]);
  },
  { only: ["linux"] },
);

verifies(
  "shell:bounded",
  "both ends are kept, the middle is counted, and the spill file has everything in order",
  async () => {
    await using dir = await tempDir();
    const command = "echo first; echo error >&2; seq 1 5000; echo last";
    const result = await shell.exec(command, { maxBytes: 100, spillDir: dir.at("spill") });
    expect(result.stdout).toMatch(
      /^first\n1\n[^]*\n\[\.\.\. \d+ bytes omitted \.\.\.\]\n[^]*\n5000\nlast\n$/,
    );
    expect(result.stderr).toBe("error\n");
    const whole = await readFile(result.spillPath ?? "", "utf8");
    expect(whole.replace("error\n", "")).toBe(
      `first\n${Array.from({ length: 5_000 }, (_, index) => `${index + 1}\n`).join("")}last\n`,
    );
    expect(result.omittedBytes).toBeGreaterThan(Buffer.byteLength(whole) - 110);

    const without = await shell.exec(command, { maxBytes: 100 });
    expect(without.omittedBytes).toBe(result.omittedBytes);
    expect(without.spillPath).toBeUndefined();
    const small = await shell.exec("echo little", { spillDir: dir.at("unused") });
    expect(small.spillPath).toBeUndefined();
  },
  { only },
);

verifies(
  "shell:bounded",
  "if the spill folder is a link or cannot be created, the command still succeeds, without a file",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("elsewhere"));
    await symlink(dir.at("elsewhere"), dir.at("link"));
    for (const spillDir of [dir.at("link"), "/proc/none/spill"]) {
      const result = await shell.exec("seq 1 1000; exit 6", { maxBytes: 100, spillDir });
      expect(result).toMatchObject({ code: 6 });
      expect(result.spillPath).toBeUndefined();
    }
  },
  { only },
);

verifies(
  "shell:utf8",
  "characters that arrive in parts are passed on whole",
  async () => {
    const heard: string[] = [];
    const result = await shell.exec("printf '\\xe2\\x9c'; sleep 0.05; printf '\\x93\\xff'; printf err >&2", {
      onOutput: (stream, text) => void heard.push(`${stream}:${text}`),
    });
    expect(heard.filter((text) => text.startsWith("stdout")).join("")).toBe("stdout:✓\ufffd");
    expect(heard).toContain("stderr:err");
    expect(result.stdout).toBe("✓\ufffd");
    const throwing = (): void => {
      throw new Error("no");
    };
    expect((await shell.exec("echo on", { onOutput: throwing })).stdout).toBe("on\n");
  },
  { only },
);

verifies(
  "shell:cwd",
  "a deleted folder is named, and the next command elsewhere works",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("sub"));
    expect((await shell.exec("pwd", { cwd: dir.at("sub") })).stdout).toBe(`${dir.at("sub")}\n`);
    await rm(dir.at("sub"), { recursive: true });
    const thrown = await shell.exec("pwd", { cwd: dir.at("sub") }).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(SpawnError);
    expect((thrown as Error).message).toContain(
      `the working directory ${JSON.stringify(dir.at("sub"))} does not exist`,
    );
    expect((await shell.exec("pwd", { cwd: dir.path })).stdout).toBe(`${dir.path}\n`);
  },
  { only },
);

verifies(
  "shell:spawn",
  "output goes to the file in order, early and late listeners get the exit, and the file is capped",
  async () => {
    await using dir = await tempDir();
    const started = await shell.spawn("echo one; echo two >&2; echo three; exit 9", {
      outputPath: dir.at("log"),
    });
    const heard: ShellExit[] = [];
    const unheard = started.onExit(() => heard.push({ code: -1 }));
    unheard();
    await new Promise<void>((resolve) => void started.onExit((exit) => resolve(void heard.push(exit))));
    await new Promise<void>((resolve) => void started.onExit((exit) => resolve(void heard.push(exit))));
    expect(heard).toEqual([{ code: 9 }, { code: 9 }]);
    expect((await readFile(dir.at("log"), "utf8")).split("\n").sort()).toEqual(["", "one", "three", "two"]);

    const capped = await shell.spawn("seq 1 10000", { outputPath: dir.at("capped"), maxOutputBytes: 1_000 });
    await new Promise((resolve) => void capped.onExit(resolve));
    const log = await readFile(dir.at("capped"), "utf8");
    expect(log.slice(1_000)).toMatch(
      /^\n\[capture stopped: the limit of 1000 bytes was reached; \d+ more bytes/,
    );
    await expect(shell.spawn("echo", { outputPath: dir.at("no", "folder") })).rejects.toThrow(
      /could not open .*folder/,
    );
    await mkdir(dir.at("elsewhere"));
    await symlink(dir.at("elsewhere"), dir.at("link"));
    await expect(shell.spawn("echo", { outputPath: dir.at("link", "log") })).rejects.toThrow(
      /could not open/,
    );
    expect(await readdir(dir.at("elsewhere"))).toEqual([]);
  },
  { only },
);

verifies(
  "shell:spawn-output",
  "a listener gets each stream in whole characters, all of it before the exit, with and without a file",
  async () => {
    await using dir = await tempDir();
    for (const file of [{}, { outputPath: dir.at("log") }]) {
      const heard = { stdout: "", stderr: "" };
      const started = await shell.spawn(
        "printf 'a\\xe2'; sleep 0.05; printf '\\x9c\\x93b'; printf 'err\\xe2' >&2; seq 1 20000",
        {
          ...file,
          onOutput: (stream, text) => {
            heard[stream] += text;
            throw new Error("a listener that fails changes nothing");
          },
        },
      );
      await new Promise((resolve) => void started.onExit(resolve));
      expect(heard.stderr).toBe("err\ufffd");
      expect(heard.stdout.startsWith("a✓b1\n2\n")).toBe(true);
      expect(heard.stdout.endsWith("\n20000\n")).toBe(true);
    }
    expect((await readFile(dir.at("log"))).length).toBe(5 + 4 + 108_894);
  },
  { only },
);

verifies(
  "shell:spawn",
  "a started command is signalled and ended as a tree",
  async () => {
    const mark = newMark();
    const job = await shell.spawn(`(setsid sleep ${mark} &); sleep ${mark} & wait`);
    expect(await becomesTrue(() => aliveWith(mark).length >= 3)).toBe(true);
    job.kill("SIGKILL");
    expect(await becomesTrue(() => aliveWith(mark).length === 0)).toBe(true);
    expect(await job.end()).toEqual({ code: null, signal: "SIGKILL" });
  },
  { only: ["linux"] },
);

verifies(
  "shell:wrap",
  "the wrapping program gets the launch, adds to the environment and is released after the last process",
  async () => {
    await using dir = await tempDir();
    const mark = newMark();
    const seen: unknown[] = [];
    const wrap: ShellWrap = async (launch) => {
      seen.push(launch.cwd);
      return {
        path: "/usr/bin/env",
        args: ["WRAPPED=yes", launch.path, ...launch.args],
        env: { ADDED: "too" },
        release: () => void seen.push(aliveWith(mark).length),
      };
    };
    const options = { cwd: dir.path, wrap };
    const { stdout } = await shell.exec(`echo $WRAPPED $ADDED; (setsid sleep ${mark} &)`, options);
    expect(stdout).toBe("yes too\n");
    expect(seen).toEqual([dir.path, 0]);

    const job = await shell.spawn(`sleep ${mark}`, options);
    expect(seen).toEqual([dir.path, 0, dir.path]);
    await job.end();
    expect(seen.at(-1)).toBe(0);

    const missing = async (): Promise<WrappedLaunch> => ({
      path: "/no/such/sandbox",
      args: [],
      release: () => void seen.push("released"),
    });
    await expect(shell.exec("true", { wrap: missing })).rejects.toThrow("there is no such command");
    expect(seen.at(-1)).toBe("released");
    const refusing = (): Promise<WrappedLaunch> => Promise.reject(new Error("not here"));
    await expect(shell.exec(`touch ${dir.at("made")}`, { wrap: refusing })).rejects.toThrow("not here");
    await expect(stat(dir.at("made"))).rejects.toThrow("ENOENT");
  },
  { only },
);
