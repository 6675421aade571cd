import { verifies } from "@indus/testkit";
import { safeEnvironment } from "indusagi/core";
import type { ServerConfig, StdioServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import { startEarly } from "../../../src/servers/open/early-starts.ts";

function program(id: string, source: string, more: Partial<StdioServerConfig> = {}): StdioServerConfig {
  return { kind: "stdio", id, command: process.execPath, args: ["-e", source], ...more };
}

/** Takes the process of a row as a connection does. Returns its pid and what it wrote until its output ended. */
async function take(
  { startTree }: Awaited<ReturnType<typeof startEarly>>,
  { command, args = [], env }: StdioServerConfig,
): Promise<{ readonly pid: number; readonly written: string }> {
  let written = "";
  let ended = (): void => {};
  const end = new Promise<void>((resolve) => (ended = resolve));
  const tree = await startTree(command, args, {
    env: safeEnvironment(env),
    stdin: "pipe",
    onStdout: (chunk) => void (written += chunk.toString()),
    onStdoutEnd: () => ended(),
  });
  await tree.write("go\n");
  await end;
  await tree.end();
  return { pid: tree.pid, written };
}

const SAYS_PID =
  'console.log(process.pid); process.stdin.once("data", (text) => { console.log("got " + text); process.exit(0); });';

verifies(
  "servers:early",
  "a process is handed over once with all it wrote; the next one is a new process",
  async () => {
    const row = program("a", SAYS_PID);
    await using early = await startEarly([row], 1);
    const [first, second] = [await take(early, row), await take(early, row)];
    expect(first.written).toBe(`${first.pid}\ngot go\n\n`);
    expect(second.written).toBe(`${second.pid}\ngot go\n\n`);
    expect(second.pid).not.toBe(first.pid);
  },
);

verifies("servers:early", "a command that does not exist is reported to the one that takes it", async () => {
  const row: StdioServerConfig = { kind: "stdio", id: "a", command: "no-such-program-anywhere" };
  await using early = await startEarly([row], 1);
  await expect(take(early, row)).rejects.toMatchObject({ code: "ENOENT" });
});

verifies("servers:early", "what nobody takes is ended", async () => {
  const early = await startEarly(
    [program("a", 'console.log("x".repeat(1e6)); setInterval(() => {}, 1000)')],
    1,
  );
  await early[Symbol.asyncDispose](); // Ends only when no process is left.
});

verifies(
  "servers:early",
  "pending, disabled, installing and incomplete rows wait, and all do if there are too many",
  async () => {
    const rows: readonly ServerConfig[] = [
      program("pending", SAYS_PID, { pending: true }),
      program("off", SAYS_PID, { enabled: false }),
      program("value", SAYS_PID, { fromCommand: { TOKEN: ["pass", "token"] } }),
      program("shared", SAYS_PID, { share: "session" }),
      { kind: "stdio", id: "installs", command: "npx", args: ["-y", "some-package"] },
      { kind: "streamable-http", id: "http", url: "http://127.0.0.1:9/mcp" },
    ];
    const counted = async (servers: readonly ServerConfig[], slots: number): Promise<number> => {
      const early = await startEarly(servers, slots);
      await early[Symbol.asyncDispose]();
      return early.count;
    };
    expect(await counted(rows, 12)).toBe(0);
    expect(await counted([program("a", SAYS_PID), program("b", SAYS_PID)], 1)).toBe(0);
    expect(await counted([program("a", SAYS_PID), ...rows], 12)).toBe(1);
  },
);
