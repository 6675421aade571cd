import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import {
  createDefaultConfig,
  EXAMPLE_CONFIG,
  ensureProjectConfigDir,
  ensureUserConfigDir,
  getProjectConfigPath,
  getUserConfigPath,
  loadMCPConfig,
  saveConfig,
  saveProjectConfig,
  saveUserConfig,
} from "indusagi/mcp";
import { afterEach, beforeEach, expect } from "vitest";

let dir: TempDir;
const before = process.env["XDG_CONFIG_HOME"];
beforeEach(async () => {
  dir = await tempDir();
  process.env["XDG_CONFIG_HOME"] = dir.at("xdg");
});
afterEach(async () => {
  if (before === undefined) delete process.env["XDG_CONFIG_HOME"];
  else process.env["XDG_CONFIG_HOME"] = before;
  await dir[Symbol.asyncDispose]();
});

async function written(path: string, content: unknown): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

verifies("mcp-config:load", "a single file is read with all members of a row", async () => {
  const file = await written(dir.at("servers.json"), {
    mcpServers: {
      fs: {
        command: "fs-server",
        args: ["."],
        env: { A: "${GIVEN}", B: "${NOT_GIVEN:-fallback}" },
        cwd: "sub",
        timeout: 5000,
        disabledTools: ["rm"],
      },
      web: { url: "https://example.test/mcp", headers: { "x-a": "1" } },
      old: { type: "sse", url: "https://example.test/sse" },
      off: { command: "x", enabled: false },
    },
  });
  expect(loadMCPConfig(file, { env: { GIVEN: "g" } })).toEqual([
    {
      name: "fs",
      config: { command: "fs-server", args: ["."], env: { A: "g", B: "fallback" }, cwd: dir.at("sub") },
      timeout: 5000,
      excludeTools: ["rm"],
    },
    { name: "web", config: { url: "https://example.test/mcp", headers: { "x-a": "1" } } },
    { name: "old", config: { url: "https://example.test/sse", type: "sse" } },
  ]);
});

verifies(
  "mcp-config:load",
  "a folder's four places are read, the project's first, and its rows are pending without trust",
  async () => {
    await written(dir.at("p", ".indusvx", "mcp.json"), {
      servers: { both: { command: "of-the-project" }, project: { command: "p" } },
    });
    await written(getUserConfigPath(), {
      servers: [
        { name: "both", command: "of-the-user" },
        { name: "u", command: "u" },
      ],
    });
    await written(dir.at("home", ".indusvx", "agent", "mcp.json"), { servers: { old: { command: "o" } } });
    const said: string[] = [];
    const load = (trust: { readonly trustProject?: boolean }) =>
      loadMCPConfig(dir.at("p"), {
        home: dir.at("home"),
        onDiagnostic: ({ message }) => void said.push(message),
        ...trust,
      });
    const rows = (mark: object) => [
      { name: "both", config: { command: "of-the-project" }, ...mark },
      { name: "project", config: { command: "p" }, ...mark },
      { name: "u", config: { command: "u" } },
      { name: "old", config: { command: "o" } },
    ];
    expect(load({})).toStrictEqual(rows({ pending: true }));
    expect(load({ trustProject: false })).toStrictEqual(rows({ pending: true }));
    expect(load({ trustProject: true })).toStrictEqual(rows({}));
    const lost = `server "both" is also in "${dir.at("p", ".indusvx", "mcp.json")}", which has precedence; this row is not used`;
    expect(said).toEqual([lost, lost, lost]);
  },
);

verifies(
  "mcp-config:load",
  "a disabled row of an unapproved project does not hide the user's row",
  async () => {
    await written(dir.at("p", ".indusvx", "mcp.json"), {
      servers: { both: { command: "x", enabled: false } },
    });
    await written(getUserConfigPath(), { servers: { both: { command: "of-the-user" } } });
    const load = (trustProject: boolean) =>
      loadMCPConfig(dir.at("p"), { home: dir.at("home"), onDiagnostic: () => {}, trustProject });
    expect(load(false)).toEqual([{ name: "both", config: { command: "of-the-user" } }]);
    expect(load(true)).toEqual([]);
  },
);

verifies("config:pending", "a file can neither contain the mark of a pending row nor clear it", async () => {
  const row = { name: "a", command: "x", pending: true };
  saveProjectConfig({ servers: [row] }, dir.path);
  saveConfig(dir.at("object.json"), { servers: { a: row } });
  for (const file of [getProjectConfigPath(dir.path), dir.at("object.json")])
    expect(readFileSync(file, "utf8")).not.toContain("pending");
  await written(getProjectConfigPath(dir.path), { servers: { a: { command: "x", pending: false } } });
  const said: string[] = [];
  const onDiagnostic = ({ message }: { readonly message: string }): void => void said.push(message);
  expect(loadMCPConfig(dir.path, { home: dir.at("home"), onDiagnostic })).toEqual([
    { name: "a", config: { command: "x" }, pending: true },
  ]);
  expect(said).toEqual([expect.stringContaining("approvals are kept outside of this file")]);
});

verifies(
  "mcp-config:load",
  "an unusable row is reported with file and line, and the others are kept",
  async () => {
    const file = await written(
      dir.at("s.json"),
      '{ "servers": {\n  "bad": { "args": [] },\n  "good": { "command": "x" } } }',
    );
    const said: unknown[] = [];
    expect(loadMCPConfig(file, { onDiagnostic: (diagnostic) => said.push(diagnostic) })).toHaveLength(1);
    expect(said).toEqual([expect.objectContaining({ file, line: 2, severity: "error" })]);
  },
);

verifies("mcp-config:load", "an ignored setting is reported with its file and line", async () => {
  const rows = {
    heard: { command: "x", timeout: 700_000 },
    same: { command: "x", timeouts: { connectMs: 5000, callMs: 5000, totalMs: 600_000 }, share: "fleet" },
    vain: { command: "x", timeouts: { connectMs: 5000, listMs: 5000, callMs: 2000, totalMs: 9000 } },
    own: { command: "x", required: true, share: "session" },
    off: { command: "x", required: true, enabled: false },
  };
  const lines = Object.entries(rows).map(([id, row]) => `${JSON.stringify(id)}: ${JSON.stringify(row)}`);
  const file = await written(dir.at("s.json"), `{ "servers": {\n${lines.join(",\n")} } }`);
  const said: unknown[] = [];
  const servers = loadMCPConfig(file, { onDiagnostic: (diagnostic) => said.push(diagnostic) });
  expect(servers.map(({ timeout }) => timeout)).toEqual([700_000, 5000, 2000, undefined]);
  const one = (line: number, message: string) => ({
    severity: "warning",
    file,
    line,
    column: 1,
    path: [],
    message,
  });
  const late = 'is ignored here; set "timeout", which applies to connecting, listing and calls';
  expect(said).toEqual([
    one(4, `server "vain": "timeouts.connectMs" ${late}`),
    one(4, `server "vain": "timeouts.listMs" ${late}`),
    one(4, `server "vain": "timeouts.totalMs" ${late}`),
    one(5, 'server "own": "required" is ignored here; check the status of the pool'),
    one(5, 'server "own": "share" is ignored here; create one client per user or session'),
  ]);
});

verifies(
  "mcp-config:load",
  "an explicit file that is missing or malformed is a CONFIG_ERROR with its place",
  async () => {
    const gone = dir.at("gone.json");
    expect(() => loadMCPConfig(gone)).toThrow(
      expect.objectContaining({ code: "CONFIG_ERROR", details: expect.objectContaining({ file: gone }) }),
    );
    const broken = await written(dir.at("broken.json"), '{\n "servers": [');
    expect(() => loadMCPConfig(broken)).toThrow(
      expect.objectContaining({ code: "CONFIG_ERROR", message: expect.stringContaining(`${broken}:2`) }),
    );
  },
);

verifies("mcp-config:save", "a configuration in both shapes is loaded as it was saved", () => {
  expect(getUserConfigPath()).toBe(dir.at("xdg", "indusvx", "mcp.json"));
  expect(getProjectConfigPath(dir.path)).toBe(dir.at(".indusvx", "mcp.json"));
  expect(ensureUserConfigDir()).toBe(dir.at("xdg", "indusvx"));
  expect(ensureProjectConfigDir(dir.path)).toBe(dir.at(".indusvx"));
  expect(statSync(dir.at(".indusvx")).isDirectory()).toBe(true);
  saveUserConfig({ servers: [{ name: "a", command: "x", args: ["1"], timeout: undefined as never }] });
  expect(JSON.parse(readFileSync(getUserConfigPath(), "utf8"))).toEqual({
    servers: [{ name: "a", command: "x", args: ["1"] }],
  });
  saveProjectConfig({ servers: { b: { url: "https://example.test/", type: "streamable-http" } } }, dir.path);
  expect(loadMCPConfig(getProjectConfigPath(dir.path))).toEqual([
    { name: "b", config: { url: "https://example.test/", type: "streamable-http" } },
  ]);
  const nested = dir.at("deep", "er", "c.json");
  saveConfig(nested, createDefaultConfig());
  expect(readFileSync(nested, "utf8")).toBe('{\n  "servers": []\n}\n');
});

verifies("mcp-config:save", "a refused save is a CONFIG_ERROR and leaves the file as it was", async () => {
  const file = await written(dir.at("mine.json"), "not JSON at all");
  expect(() => saveConfig(file, createDefaultConfig())).toThrow(
    expect.objectContaining({ code: "CONFIG_ERROR", message: expect.stringContaining("mine.json") }),
  );
  expect(readFileSync(file, "utf8")).toBe("not JSON at all");
  expect(existsSync(dir.at("xdg"))).toBe(false);
});

verifies("mcp-config:save", "rows in the wrong member are refused, and the file is unchanged", async () => {
  const file = await written(dir.at("mine.json"), { mcpServers: { a: { command: "a" } } });
  const before = readFileSync(file, "utf8");
  for (const config of [{ mcpServers: { b: { command: "b" } } }, { servers: null }, {}])
    expect(() => saveConfig(file, config as never)).toThrow(
      expect.objectContaining({ code: "CONFIG_ERROR", message: expect.stringContaining('"servers"') }),
    );
  expect(readFileSync(file, "utf8")).toBe(before);
});

verifies("mcp-config:save", "the example configuration and the default one", () => {
  expect(createDefaultConfig()).toEqual({ servers: [] });
  const file = dir.at("example.json");
  saveConfig(file, EXAMPLE_CONFIG);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(JSON.stringify(EXAMPLE_CONFIG)));
  expect(loadMCPConfig(file, { env: { GITHUB_TOKEN: "t" } }).map(({ name }) => name)).toEqual([
    "filesystem",
    "github",
  ]);
});
