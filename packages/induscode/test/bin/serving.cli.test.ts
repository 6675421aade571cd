import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { mountProtocolBridge } from "indusagi/interop";
import { expect } from "vitest";
import {
  eventually,
  runIndus,
  scriptedRow,
  startedPids,
  startIndus,
  untilGone,
  writeConfig,
} from "./run-indus.ts";
import { gatedRow } from "./scripted-client.ts";

const NATIVE = ["read", "ls", "grep", "find", "websearch", "webfetch", "todo_read"];
const TOKEN = "a-token-of-the-tests-1234";

const urlOf = (indus: { out(): string }): Promise<string> =>
  eventually(() => /^http\S+(?=\n)/.exec(indus.out())?.[0]);

async function toolsAt(url: string, headers: { readonly [name: string]: string } = {}): Promise<string[]> {
  const { box, fleet } = await mountProtocolBridge(
    { servers: [{ kind: "streamable-http", id: "i", url, headers }] },
    { supervision: false },
  );
  const names = box.descriptors().map(({ origin }) => origin?.tool ?? "");
  await fleet.tearDown();
  return names;
}

verifies(
  "command:serve-stdio",
  "only protocol messages on standard output; everything ends with the input",
  async () => {
    await using dir = await tempDir();
    const starts = dir.at("starts");
    const file = await writeConfig(dir.at("servers.json"), { s: scriptedRow("--starts", starts) });
    using indus = startIndus(["serve", "--stdio", "--mcp", file, "--cwd", dir.path]);
    const send = (message: object): void =>
      void indus.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const clientInfo = { name: "test", version: "1" };
    send({
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
    });
    send({ method: "notifications/initialized" });
    send({ id: 2, method: "tools/list" });
    send({ id: 3, method: "tools/call", params: { name: "s__echo", arguments: { text: "through two" } } });
    send({ id: 4, method: "tools/call", params: { name: "ls", arguments: {} } });
    const frames = await eventually(() => {
      const lines = indus.out().split("\n").slice(0, -1);
      const messages = lines.map((line) => JSON.parse(line) as { id?: number; result: unknown });
      const answers = messages.filter(({ id }) => id !== undefined);
      return answers.length >= 4 ? answers : undefined;
    });
    const results = new Map(frames.map(({ id, result }) => [id, result]));
    const { tools } = results.get(2) as { readonly tools: readonly { readonly name: string }[] };
    expect(tools.map(({ name }) => name).slice(0, 8)).toEqual([...NATIVE, "s__echo"]);
    expect(results.get(3)).toMatchObject({ content: [{ type: "text", text: "through two" }] });
    expect(JSON.stringify(results.get(4))).toContain("servers.json");
    const pids = await startedPids(starts, 1);
    indus.child.stdin.end();
    expect(await indus.ended).toBe(0);
    await untilGone(pids);
    expect(indus.err()).toMatch(/^SERVER +STATE/);
  },
);

verifies(
  "command:serve-http",
  "only the URL on standard output; native tools first, then those of the servers",
  async () => {
    await using dir = await tempDir();
    const tool = "t".repeat(60);
    const file = await writeConfig(dir.at("servers.json"), { s: scriptedRow(), [tool]: scriptedRow() });
    using indus = startIndus(["serve", "--port", "0", "--mcp", file]);
    const url = await urlOf(indus);
    const names = await toolsAt(url);
    expect(names.slice(0, 8)).toEqual([...NATIVE, "s__echo"]);
    expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(48);
    expect(indus.out()).toBe(`${url}\n`);
    expect(indus.err()).toMatch(/^SERVER +STATE/);
    const { port } = new URL(url);
    const second = await runIndus(["serve", "--port", port]);
    expect(second).toEqual({
      code: 1,
      out: "",
      err: `indus: port ${port} is in use; choose another with --port, or 0 for any\n`,
    });
  },
);

verifies("command:tool-names", "list, call and serve use one name for a tool with a long name", async () => {
  await using dir = await tempDir();
  const file = await writeConfig(dir.at("servers.json"), { ["s".repeat(45)]: scriptedRow() });
  const list = await runIndus(["mcp", "list", "--mcp", file, "--json"]);
  const { tools } = JSON.parse(list.out) as {
    readonly tools: readonly { readonly name: string; readonly origin: { readonly tool: string } }[];
  };
  const listed = tools.map(({ name }) => name);
  expect(Math.max(...listed.map((name) => name.length))).toBe(48);
  using indus = startIndus(["serve", "--port", "0", "--mcp", file]);
  expect(await toolsAt(await urlOf(indus))).toEqual([...NATIVE, ...listed]);
  const echo = tools.find(({ origin }) => origin.tool === "echo")?.name ?? "";
  expect(await runIndus(["mcp", "call", echo, "text=hello", "--mcp", file])).toEqual({
    code: 0,
    out: "hello\n",
    err: "",
  });
});

verifies("command:serve-log", "each server has one line in the log, also one that fails again", async () => {
  await using dir = await tempDir();
  const dying = { command: process.execPath, args: ["-e", "process.exit(Date.now() % 7 + 1)"] };
  const go = dir.at("go");
  const late = `setInterval(() => { if (!require("node:fs").existsSync(${JSON.stringify(go)})) return; console.error("late"); process.exit(1) }, 20)`;
  const file = await writeConfig(dir.at("servers.json"), {
    good: scriptedRow(),
    dying,
    late: { command: process.execPath, args: ["-e", late] },
    slow: gatedRow("--gate", go, "--count", "3"),
    empty: gatedRow("--gate", go, "--count", "0"),
  });
  await mkdir(dir.at("project/.indusvx"), { recursive: true });
  const project = dir.at("project/.indusvx/mcp.json");
  await writeConfig(project, { first: scriptedRow() });
  using indus = startIndus(["serve", "--port", "0", "--mcp", file, "--mcp", dir.at("project")]);
  await urlOf(indus);
  await eventually(() => indus.err().includes("still starting: late, slow, empty\n") || undefined);
  await writeFile(go, "");
  await writeConfig(project, { first: scriptedRow(), theirs: scriptedRow() });
  await eventually(() => indus.err().includes("configuration changed: added theirs") || undefined);
  await eventually(() => indus.err().includes('server "late" failed') || undefined);
  await eventually(() => indus.err().includes('server "slow" is ready (3 tools)\n') || undefined);
  await eventually(() => indus.err().includes('server "empty" is ready (0 tools)\n') || undefined);
  const lines = indus.err().split("\n");
  const about = (server: string): string[] =>
    lines.filter(
      (line) => line.startsWith(`${server} `) || new RegExp(`server "${server}" (is|failed)`).test(line),
    );
  expect(lines.filter((line) => line.includes('server "theirs" comes with a project'))).toHaveLength(1);
  expect(about("good")).toHaveLength(1);
  expect(about("dying")).toHaveLength(1);
  expect(about("late")).toHaveLength(1);
  expect(about("slow")).toHaveLength(1);
  expect(about("empty")).toHaveLength(1);
});

verifies(
  "diagnose:unknown-tools",
  "the table of `serve` shows the note, a row edited later has a line, and the doctor and `mcp list` show it",
  async () => {
    await using dir = await tempDir();
    const [at, note] = [dir.at("servers.json"), "names a tool that the server does not have"];
    const file = await writeConfig(at, { s: { ...scriptedRow(), includeTools: ["echo", "ehco"] } });
    using indus = startIndus(["serve", "--port", "0", "--mcp", file]);
    await urlOf(indus);
    await eventually(() => indus.err().includes(`"includeTools" ${note}: "ehco" (did you`) || undefined);
    await writeConfig(at, { s: { ...scriptedRow(), includeTools: ["echo"], excludeTools: ["ehco"] } });
    const edited = `indus: server "s": "excludeTools" ${note}: "ehco" (did you mean "echo"?)\n`;
    await eventually(() => indus.err().includes(edited) || undefined);
    expect(indus.err().split("does not have")).toHaveLength(3);
    const [list, doctor] = await Promise.all([
      runIndus(["mcp", "list", "--mcp", file]),
      runIndus(["mcp", "doctor", "--mcp", file]),
    ]);
    for (const { out } of [list, doctor]) expect(out.split(`"excludeTools" ${note}`)).toHaveLength(2);
  },
);

verifies("command:serve-http", "a required server that is down is exit code 1", async () => {
  await using dir = await tempDir();
  const gone = { command: "no-such-program-anywhere", required: true };
  const file = await writeConfig(dir.at("servers.json"), { gone });
  const { code, err } = await runIndus(["serve", "--port", "0", "--mcp", file]);
  expect(code).toBe(1);
  expect(err).toContain('indus: server "gone" is required, but it is down');
});

verifies("command:token", "no token, a short one and a good one", async () => {
  const env = { INDUS_TEST_TOKEN: TOKEN, INDUS_SHORT_TOKEN: "short" };
  const [unset, short] = await Promise.all([
    runIndus(["serve", "--port", "0", "--token-env", "INDUS_NO_SUCH_TOKEN"]),
    runIndus(["serve", "--port", "0", "--token-env", "INDUS_SHORT_TOKEN"], { env }),
  ]);
  expect([unset.code, short.code]).toEqual([1, 1]);
  expect(unset.err).toContain("INDUS_NO_SUCH_TOKEN is not set");
  expect(short.err).not.toContain("short");
  using indus = startIndus(["serve", "--port", "0", "--token-env", "INDUS_TEST_TOKEN"], { env });
  const url = await urlOf(indus);
  expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
  expect(await toolsAt(url, { authorization: `Bearer ${TOKEN}` })).toEqual(NATIVE);
  expect(indus.out() + indus.err()).not.toContain(TOKEN);
});

verifies(
  "listing:pending-once",
  "serve says once why a row is not started, and lists its state",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at(".indusvx"));
    await writeConfig(dir.at(".indusvx/mcp.json"), { theirs: scriptedRow() });
    using indus = startIndus(["serve", "--port", "0"], { cwd: dir.path });
    const err = await eventually(() => (indus.err().includes("To stop it") ? indus.err() : undefined));
    expect(err).toMatch(/^theirs +untrusted +0 +-$/m);
    expect(err.split("is not approved")).toHaveLength(2);
  },
);

verifies(
  "command:demo",
  "two servers and a broken one, a free port if the default is in use, and the set-up of each client",
  async () => {
    // If another process holds the port, it is taken as well.
    const holder = createServer()
      .on("error", () => {})
      .listen(7717, "127.0.0.1");
    using indus = startIndus(["serve", "--demo"]);
    const url = await urlOf(indus);
    holder.close();
    expect(new URL(url).port).not.toBe("7717");
    const err = await eventually(() => (indus.err().includes("Ctrl-C") ? indus.err() : undefined));
    expect(err).toMatch(/port 7717 is in use; using \d+\n/);
    expect(err).toMatch(/^broken +\w+ +0 +.*standard error: this server is broken on purpose/m);
    for (const words of [
      `claude mcp add --transport http indus ${url}`,
      `--cli ${url} --transport http --method tools/list`,
      '"serve",\n          "--stdio",\n          "--demo"',
      `"url": "${url}"`,
      '"type": "http"',
    ])
      expect(err).toContain(words);
    const inspector = fileURLToPath(
      new URL("../../../../node_modules/@modelcontextprotocol/inspector-cli/build/cli.js", import.meta.url),
    );
    const args = [
      "--cli",
      url,
      "--transport",
      "http",
      "--method",
      "tools/call",
      "--tool-name",
      "units__convert",
    ];
    const { stdout } = spawnSync(
      process.execPath,
      [inspector, ...args, "--tool-arg", "amount=3", "from=ft", "to=m"],
      { encoding: "utf8", timeout: 15_000 },
    );
    expect(stdout).toContain("3 ft = 0.9144 m");
  },
);
