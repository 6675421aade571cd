import { readFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import {
  createEraMemory,
  createServerEndpoint,
  type EndpointOptions,
  type ServerEndpointImpl,
  type StdioServerConfig,
} from "indusagi/interop";
import { expect } from "vitest";
import { isAlive, scripted } from "../kit/scripted.ts";

async function opened(
  config: StdioServerConfig,
  options: EndpointOptions = {},
): Promise<ServerEndpointImpl & AsyncDisposable> {
  const endpoint = createServerEndpoint(config, undefined, options);
  await endpoint.open();
  return Object.assign(endpoint, { [Symbol.asyncDispose]: () => endpoint.close() });
}

const textOf = (result: { readonly content: readonly unknown[] }): string =>
  (result.content[0] as { text: string }).text;

verifies("stdio:garbage", "a banner is skipped, counted and shown", async () => {
  await using endpoint = await opened(scripted("s", "--banner"));
  expect(await endpoint.listTools()).toHaveLength(22);
  expect(endpoint.status().notes).toEqual([
    "2 line(s) on standard output were not messages; the first: Welcome to the server!",
  ]);
});

verifies("stdio:garbage", "the fault of a program that prints text and exits shows the text", async () => {
  const args = ["-e", 'console.log("usage: program FILE"); process.exitCode = 2'];
  const endpoint = createServerEndpoint({ kind: "stdio", id: "s", command: process.execPath, args });
  await expect(endpoint.open()).rejects.toMatchObject({
    message:
      'server "s" exited before it was connected (exit code 2); 1 line(s) on standard output were not messages; the first: usage: program FILE',
  });
});

verifies("core:with-defaults", "a limit of a process that is undefined is the default", async () => {
  const limits = ["maxFrameBytes", "stderrBytes", "graceMs", "startTree"];
  const stdio = Object.fromEntries(limits.map((name) => [name, undefined])) as object;
  const endpoint = await opened(scripted("s"), { stdio, maxMessageBytes: 100_000 });
  expect(textOf(await endpoint.invoke("echo", { text: "on" }))).toBe("on");
  await expect(endpoint.invoke("echo", { text: "x".repeat(200_000) })).rejects.toThrow("100000");
  await endpoint.close();
  expect(endpoint.status().phase).toBe("closed");
});

verifies("stdio:stderr", "sixteen megabytes of standard error do not block a call", async () => {
  await using endpoint = await opened(scripted("s", "--stderr", "16000000"));
  expect(textOf(await endpoint.invoke("echo", { text: "on" }))).toBe("on");
});

verifies(
  "stdio:stderr",
  "a server that dies in a call is a transport fault with exit code and last output",
  async () => {
    const endpoint = await opened(scripted("s", "--era", "legacy"));
    const ended = new Promise((resolve) => endpoint.onEnd(resolve));
    const other = endpoint.invoke("silent", {}).catch((fault: unknown) => fault);
    const fault = await endpoint.invoke("die", {}).catch((thrown: unknown) => thrown);
    expect(fault).toMatchObject({
      kind: "transport",
      retrySafe: false,
      details: { exit: { code: 3 }, stderr: "about to die" },
    });
    expect(fault).toMatchObject({
      message: 'server "s" ended the connection (exit code 3); standard error: about to die',
    });
    expect(await other).toBe(fault);
    expect(await ended).toBe(fault);
    expect(endpoint.phase).toBe("faulted");
  },
);

verifies("stdio:stderr", "the fault of a server that cannot start gives the reason", async () => {
  const endpoint = createServerEndpoint(scripted("s", "--crash"));
  await expect(endpoint.open()).rejects.toMatchObject({
    kind: "spawn_failed",
    details: { exit: { code: 7 }, stderr: "cannot find the configuration file" },
  });
});

verifies(
  "stdio:environment",
  "the server sees the variables of its row and none of our secrets",
  async () => {
    process.env["CANARY_TOKEN"] = "canary-secret-value";
    try {
      await using endpoint = await opened({ ...scripted("s"), env: { GIVEN: "yes" } });
      const env = JSON.parse(textOf(await endpoint.invoke("env", {}))) as Record<string, string>;
      expect(env["GIVEN"]).toBe("yes");
      expect(env["PATH"]).toBe(process.env["PATH"]);
      expect(JSON.stringify(env)).not.toContain("canary-secret-value");
    } finally {
      delete process.env["CANARY_TOKEN"];
    }
  },
);

verifies(
  "stdio:second-start",
  "a server that exits during the probe is mounted after one more start, and its era is remembered",
  async () => {
    await using dir = await tempDir();
    const starts = async (): Promise<number> =>
      (await readFile(dir.at("starts"), "utf8")).trim().split("\n").length;
    const eras = createEraMemory();
    const config = scripted("s", "--die-on-unknown", "--starts", dir.at("starts"));
    {
      await using endpoint = await opened(config, { eras });
      expect(textOf(await endpoint.invoke("echo", { text: "alive" }))).toBe("alive");
      expect(await starts()).toBe(2);
    }
    await using again = await opened(config, { eras });
    expect(again.session().era).toBe("legacy");
    expect(await starts()).toBe(3);
  },
);

verifies("stdio:second-start", "servers of either era, and a silent one, are started once", async () => {
  await using dir = await tempDir();
  const modes = [["--era", "legacy"], ["--era", "modern"], ["--mute"]];
  await Promise.all(
    modes.map(async (mode, index) => {
      const file = dir.at(`starts-${index}`);
      const endpoint = createServerEndpoint(scripted(`s${index}`, ...mode, "--starts", file), undefined, {
        timeouts: { connectMs: mode.includes("--mute") ? 3000 : 15_000 },
        probeMs: mode.includes("--mute") ? 200 : 10_000,
      });
      await endpoint.open().catch(() => {});
      await endpoint.close();
      expect((await readFile(file, "utf8")).trim().split("\n"), mode.join(" ")).toHaveLength(1);
    }),
  );
});

verifies("stdio:second-start", "a server that says why it cannot run is started once", async () => {
  await using dir = await tempDir();
  const ends: readonly (readonly [says: string, code: number, starts: number])[] = [
    ["Error: SOME_API_KEY environment variable is required", 1, 1],
    ["Uncaught exception\nPlease set SOME_URL and SOME_API_KEY", 1, 1],
    ["npm error 404 Not Found - GET https://registry.npmjs.org/no-such-server - Not found", 1, 1],
    ["sh: 1: some-server: not found", 127, 1],
    // These may have died of the probe.
    ["Error: unexpected method server/discover", 1, 2],
    ["Warning: SOME_API_KEY is not set", 1, 2],
    ["", 3, 2],
  ];
  await Promise.all(
    ends.map(async ([says, code, starts], index) => {
      const file = dir.at(`ends-${index}`);
      const script = `require("fs").appendFileSync(${JSON.stringify(file)}, "start\\n"); console.error(${JSON.stringify(says)}); process.exitCode = ${code};`;
      const endpoint = createServerEndpoint({
        kind: "stdio",
        id: `s${index}`,
        command: process.execPath,
        args: ["-e", script],
      });
      await expect(endpoint.open()).rejects.toMatchObject({ details: { exit: { code } } });
      expect((await readFile(file, "utf8")).trim().split("\n"), says).toHaveLength(starts);
    }),
  );
});

verifies("stdio:no-orphans", "neither a close nor a timeout leaves the process behind", async () => {
  await using dir = await tempDir();
  const endpoint = await opened(scripted("s"));
  const pid = Number(textOf(await endpoint.invoke("pid", {})));
  expect(isAlive(pid)).toBe(true);
  await endpoint.close();
  expect(isAlive(pid)).toBe(false);

  const flags = ["--mute", "--banner", "--starts", dir.at("mute")];
  const mute = createServerEndpoint(scripted("m", ...flags), undefined, {
    timeouts: { connectMs: 2500 },
    probeMs: 100,
  });
  await expect(mute.open()).rejects.toMatchObject({
    kind: "timeout",
    message:
      'server "m" did not connect within 2.5 s; 2 line(s) on standard output were not messages; the first: Welcome to the server!',
  });
  expect(isAlive(Number(await readFile(dir.at("mute"), "utf8")))).toBe(false);
});

verifies("stdio:frames", "a message over the limit fails only its call", async () => {
  await using endpoint = await opened(scripted("s"), { stdio: { maxFrameBytes: 200_000 } });
  const small = endpoint.invoke("slow", { ms: 50, quiet: true });
  await expect(endpoint.invoke("huge", { bytes: 300_000 })).rejects.toMatchObject({
    kind: "protocol",
    message: expect.stringContaining("over the limit"),
  });
  expect(textOf(await small)).toBe("done");
  expect(textOf(await endpoint.invoke("huge", { bytes: 150_000 }))).toHaveLength(150_000);
});

verifies("stdio:frames", "many calls in flight all get their own answer", async () => {
  await using endpoint = await opened(scripted("s"));
  const texts = Array.from({ length: 500 }, (_, index) => `text ${index} é`);
  const answers = await Promise.all(texts.map((text) => endpoint.invoke("echo", { text })));
  expect(answers.map(textOf)).toEqual(texts);
});
