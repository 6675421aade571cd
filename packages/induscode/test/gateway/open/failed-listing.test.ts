import { type TempDir, tempDir, verifies } from "@indus/testkit";
import type { ServerConfig, StdioServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import { showStatuses } from "../../../src/servers/doctor/index.ts";
import { writeConfig } from "../../bin/run-indus.ts";
import { runLine } from "../../commands/run-line.ts";
import { type Client, connect, keptIn, library, type Served, serveIn } from "./served-library.ts";

const STATUS = "indus__status";
const SLOW = { timeout: 20_000 };
const CONTENT = { tools: ["a"], prompts: [{ name: "p" }] };
/** The same server, as long as it cannot list its tools. */
const LOCKED = { ...CONTENT, refuses: ["tools/list"] };

const toolNames = async (client: Client): Promise<string[]> =>
  ((await client.get("tools/list"))["tools"] as { readonly name: string }[]).map(({ name }) => name);
const readyz = async ({ url }: Served): Promise<number> => (await fetch(new URL("/readyz", url))).status;
const serversIn = async ({ url }: Served): Promise<string[]> => {
  const text = await (await fetch(new URL("/metrics", url))).text();
  return text.split("\n").filter((line) => line.startsWith("indus_servers{"));
};

const required = async (dir: TempDir, id: string, content: object): Promise<ServerConfig> => ({
  ...(await library(dir, id, content)),
  required: true,
});

verifies(
  "report:unlisted",
  "a gateway is not ready before the tools are listed, says so everywhere, and recovers",
  async () => {
    await using dir = await tempDir();
    const servers = [await required(dir, "locked", LOCKED), await library(dir, "good", { tools: ["b"] })];
    await using served = await serveIn(dir, servers, 60_000);
    // Never ready in between: a server is connected before it lists its tools.
    const answers = new Set<number>();
    const look = async (): Promise<string[]> => {
      answers.add(await readyz(served));
      return serversIn(served);
    };
    await expect
      .poll(look, { ...SLOW, interval: 1 })
      .toEqual(['indus_servers{state="list_failed"} 1', 'indus_servers{state="ready"} 1']);
    answers.add(await readyz(served));
    expect([...answers]).toEqual([503]);
    expect(served.fleet.status().get("locked")).toMatchObject({ phase: "ready", toolCount: 0 });
    await using client = await connect(served.url, "modern");
    await expect.poll(() => toolNames(client)).toEqual(expect.arrayContaining(["good__b", STATUS]));
    expect(client.session.instructions).toMatch(/locked.*not available now/);
    expect(await client.get("tools/call", { name: STATUS, arguments: {} })).toMatchObject({
      structuredContent: {
        servers: [
          {
            server: "locked",
            state: "down",
            reason: expect.stringContaining("the database is locked"),
            command: `indus mcp doctor locked --cwd ${dir.path}`,
          },
        ],
      },
    });
    expect(await client.get("prompts/get", { name: "locked__p" })).toHaveProperty("messages");
    await library(dir, "locked", CONTENT);
    await expect.poll(() => readyz(served), SLOW).toBe(200);
    expect(await serversIn(served)).toEqual(['indus_servers{state="ready"} 2']);
    await expect.poll(() => toolNames(client)).toContain("locked__a");
    await expect.poll(() => toolNames(client)).not.toContain(STATUS);
  },
  { timeoutMs: 60_000 },
);

verifies("report:unlisted", "`mcp list`, `mcp doctor` and `serve` fail, with the reason", async () => {
  await using dir = await tempDir();
  const rowOf = async (id: string, content: object): Promise<object> => {
    const { command, args } = (await library(dir, id, content)) as StdioServerConfig;
    return { command, args };
  };
  const [locked, good] = [await rowOf("locked", LOCKED), await rowOf("good", { tools: ["b"] })];
  const file = await writeConfig(dir.at("servers.json"), { locked, good });
  const off = { command: "whatever", enabled: false };
  const strict = await writeConfig(dir.at("required.json"), {
    locked: { ...locked, required: true },
    good,
    off,
  });
  const [list, exitCode, needed, doctor, serve] = await Promise.all([
    runLine(dir, ["mcp", "list", "--mcp", file, "--json"]),
    runLine(dir, ["mcp", "list", "--mcp", file, "--exit-code"]),
    runLine(dir, ["mcp", "list", "--mcp", strict]),
    runLine(dir, ["mcp", "doctor", "--mcp", file, "--json"]),
    runLine(dir, ["serve", "--port", "0", "--wait", "1", "--mcp", strict]),
  ]);
  expect([list, exitCode, needed, doctor, serve].map(({ code }) => code)).toEqual([0, 1, 1, 1, 1]);
  const plain = JSON.parse(list.out) as { readonly servers: readonly object[] };
  expect(plain.servers[0]).toMatchObject({
    phase: "ready",
    listFailure: expect.stringContaining("the database is locked"),
  });
  expect(plain.servers[0]).not.toHaveProperty("state");
  expect(needed.out).toMatch(/^locked .* list failed +- +- +.*the database is locked/m);
  expect(JSON.parse(doctor.out)).toMatchObject({
    servers: [
      {
        verdict: "failed",
        findings: [{ health: "problem", what: expect.stringContaining("the database is locked") }],
      },
      { verdict: "ready" },
    ],
  });
  expect(serve.err).toMatch(/^off +disabled /m); // Not among those that are still starting.
  expect(serve.err).toMatch(/server "locked" is required, but it is down \(.*the database is locked.*\)/);
});

/** A server without the tools capability, which refuses to list tools. */
const PLAIN = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = { protocolVersion: params?.protocolVersion, capabilities: { prompts: {} }, serverInfo: { name: "x", version: "1" } };
  const answer = method === "initialize" ? { result } : { error: { code: -32603, message: "no" } };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
})`.replaceAll("\n", " ");

verifies(
  "report:outdated",
  "after a restart and in the next run: still usable, with a note; also without tools",
  async () => {
    await using dir = await tempDir();
    const row = await required(dir, "notes", CONTENT);
    const plain: ServerConfig = {
      kind: "stdio",
      id: "plain",
      command: process.execPath,
      args: ["-e", PLAIN],
      required: true,
    };
    const empty = await required(dir, "empty", {});
    const expectUsable = async (served: Served): Promise<void> => {
      await expect
        .poll(() => served.fleet.status().get("notes"), SLOW)
        .toMatchObject({ phase: "ready", toolCount: 1, listFailure: expect.stringContaining("locked") });
      await expect.poll(() => readyz(served), SLOW).toBe(200);
      expect(await serversIn(served)).toEqual(['indus_servers{state="ready"} 3']);
      await using client = await connect(served.url, "modern");
      expect(await toolNames(client)).toContain("notes__a");
      expect(await toolNames(client)).not.toContain(STATUS);
      expect(client.session.instructions).not.toContain("not available now");
      const table = showStatuses([...served.fleet.status().values()]);
      expect(table).toMatch(/^notes +ready +1 +.*the database is locked/m);
    };
    {
      await using served = await serveIn(dir, [row, plain, empty]);
      await expect.poll(() => readyz(served), SLOW).toBe(200);
      await expect.poll(() => keptIn(dir.at("state")), SLOW).toContain('"a"');
      await library(dir, "notes", LOCKED);
      await served.fleet.restart("notes");
      await expectUsable(served);
    }
    await using next = await serveIn(dir, [row, plain, empty]);
    await expectUsable(next);
  },
  { timeoutMs: 60_000 },
);
