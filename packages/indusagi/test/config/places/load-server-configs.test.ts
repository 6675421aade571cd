import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { type ConfigPlace, loadServerConfigs } from "indusagi/config";
import { expect } from "vitest";

const stdio = (...ids: readonly string[]): string =>
  JSON.stringify({ servers: Object.fromEntries(ids.map((id) => [id, { command: id }])) });

function place(dir: TempDir, path: string, text: string): string {
  mkdirSync(dirname(dir.at(path)), { recursive: true });
  writeFileSync(dir.at(path), text);
  return dir.at(path);
}

/** The rows as `scope id`, with a mark for pending ones. */
const rows = ({ servers }: ReturnType<typeof loadServerConfigs>): string[] =>
  servers.map(({ config, source, pending }) => `${source.scope} ${config.id}${pending ? " (pending)" : ""}`);

const world = (dir: TempDir) => ({ cwd: dir.at("p"), env: { HOME: dir.at("h") } });

verifies(
  "config:precedence",
  "all four files are used, the first that names an id wins, the others are reported",
  async () => {
    await using dir = await tempDir();
    place(dir, "p/.indusvx/mcp.json", stdio("a", "b"));
    const user = place(dir, "h/.config/indusvx/mcp.json", stdio("b", "c"));
    const old = place(dir, "h/.indusvx/agent/mcp.json", stdio("c", "d"));
    const older = place(dir, "h/.indusvx/agent/mcp-servers.json", stdio("d", "e"));
    const loaded = loadServerConfigs({ ...world(dir), isApproved: () => true });
    expect(rows(loaded)).toEqual(["project a", "project b", "user c", "legacy d", "legacy e"]);
    expect(loaded.diagnostics.map(({ file, line, message }) => [file, line, message])).toEqual([
      [
        user,
        1,
        `server "b" is also in "${dir.at("p/.indusvx/mcp.json")}", which has precedence; this row is not used`,
      ],
      [old, 1, `server "c" is also in "${user}", which has precedence; this row is not used`],
      [older, 1, `server "d" is also in "${old}", which has precedence; this row is not used`],
    ]);
    expect(loaded.files.map(({ state }) => state)).toEqual(["read", "read", "read", "read"]);
  },
);

verifies("config:precedence", "a dropped row still overrides later rows with its id", async () => {
  await using dir = await tempDir();
  place(dir, "h/.config/indusvx/mcp.json", `{"servers":{"a":{"command":"\${NOT_SET}"}}}`);
  place(dir, "h/.indusvx/agent/mcp.json", stdio("a"));
  const loaded = loadServerConfigs(world(dir));
  expect(rows(loaded)).toEqual([]);
  expect(loaded.diagnostics.map(({ severity }) => severity)).toEqual(["error", "warning"]);
});

verifies(
  "config:required",
  "a required row is missing only if it is enabled, not of a project, and no other row is used",
  async () => {
    await using dir = await tempDir();
    const must = (...ids: readonly string[]): string =>
      JSON.stringify({
        servers: Object.fromEntries(ids.map((id) => [id, { command: `\${NOT_SET}`, required: true }])),
      });
    place(dir, "p/.indusvx/mcp.json", must("project"));
    place(dir, "h/.config/indusvx/mcp.json", must("user"));
    const legacy = `{"servers":{
    "plain": {"command": "\${NOT_SET}"},
    "off": {"required": true, "enabled": false},
    "also-off": {"required": true, "disabled": "true"},
    "odd": {"command": "odd", "required": true, "enabled": "perhaps"},
    "empty": {"required": true},
    "none": 7,
    "used": {"command": "used"}
  }}`;
    place(dir, "h/.indusvx/agent/mcp.json", legacy);
    place(dir, "h/.indusvx/agent/mcp-servers.json", must("used", "plain", "user"));
    const loaded = loadServerConfigs(world(dir));
    expect(loaded.missing).toEqual(["user", "odd", "empty"]);
    expect(rows(loaded)).toEqual(["legacy used"]);
    expect(loadServerConfigs({ ...world(dir), isApproved: () => true }).missing).toEqual(loaded.missing);
  },
);

verifies("config:precedence", "within one file the last row wins", async () => {
  await using dir = await tempDir();
  const file = place(dir, "x.json", `{"servers":[{"name":"a","command":"1"},{"name":"a","command":"2"}]}`);
  const { servers, diagnostics } = loadServerConfigs({ places: [{ scope: "explicit", file }] });
  expect(servers.map(({ config }) => config)).toEqual([{ kind: "stdio", id: "a", command: "2" }]);
  expect(diagnostics).toHaveLength(1);
});

verifies("config:pending", "rows of a project wait for approval and override no other row", async () => {
  await using dir = await tempDir();
  const project = place(
    dir,
    "p/.indusvx/mcp.json",
    `{"servers":{"a":{"command":"evil"},"b":{"command":"b","enabled":false},"c":{"command":"c"},"d":{}}}`,
  );
  const user = place(dir, "h/.config/indusvx/mcp.json", stdio("a", "b", "d"));
  const loaded = loadServerConfigs({ ...world(dir), isApproved: ({ config }) => config.id === "c" });
  expect(rows(loaded)).toEqual([
    "project a (pending)",
    "project b (pending)",
    "project c",
    "user a",
    "user b",
    "user d",
  ]);
  expect(loaded.servers.map(({ config }) => config.pending)).toEqual([
    true,
    true,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(loaded.diagnostics.map(({ file, message }) => [file, message]).slice(1)).toEqual([
    [project, `server "a" waits for approval; until then the row in "${user}" is used`],
    [project, `server "b" waits for approval; until then the row in "${user}" is used`],
  ]);
});

verifies(
  "config:pending",
  "no row is approved by default, and only rows of projects need approval",
  async () => {
    await using dir = await tempDir();
    const places: ConfigPlace[] = (["project", "user", "legacy", "explicit"] as const).map((scope) => ({
      scope,
      file: place(dir, `${scope}.json`, stdio(scope)),
    }));
    expect(rows(loadServerConfigs({ places }))).toEqual([
      "project project (pending)",
      "user user",
      "legacy legacy",
      "explicit explicit",
    ]);
    const asked: string[] = [];
    loadServerConfigs({ places, isApproved: ({ config }) => asked.push(config.id) > 0 });
    expect(asked).toEqual(["project"]);
  },
);

verifies("config:diagnostics", "an absent file is reported only if the user named it", async () => {
  await using dir = await tempDir();
  const loaded = loadServerConfigs(world(dir));
  expect(loaded).toMatchObject({ servers: [], diagnostics: [] });
  expect(loaded.files.map(({ state }) => state)).toEqual(["absent", "absent", "absent", "absent"]);
  const file = dir.at("no.json");
  expect(loadServerConfigs({ places: [{ scope: "explicit", file }] }).diagnostics).toEqual([
    {
      severity: "error",
      file,
      line: 1,
      column: 1,
      path: [],
      message: "the file does not exist; check the path",
    },
  ]);
});

verifies(
  "config:half-written",
  "a broken file is marked, so that a watcher can keep its last configuration",
  async () => {
    await using dir = await tempDir();
    place(dir, "p/.indusvx/mcp.json", `{"servers":{"a":{"command":"x"}`);
    place(dir, "h/.config/indusvx/mcp.json", stdio("b"));
    const loaded = loadServerConfigs(world(dir));
    expect(rows(loaded)).toEqual(["user b"]);
    expect(loaded.files.map(({ state }) => state)).toEqual(["unusable", "read", "absent", "absent"]);
    expect(loaded.diagnostics).toHaveLength(1);
  },
);

verifies("config:env-file", "an envFile is read relative to the file that names it", async () => {
  await using dir = await tempDir();
  place(dir, "c/secret.env", "TOKEN=t-1");
  const file = place(dir, "c/mcp.json", `{"servers":{"a":{"command":"x","envFile":"secret.env"}}}`);
  const { servers } = loadServerConfigs({ places: [{ scope: "explicit", file }], env: {} });
  expect(servers[0]?.config).toMatchObject({ env: { TOKEN: "t-1" } });
});

verifies(
  "config:env-file",
  "an envFile that other users may read is used with a warning",
  async () => {
    await using dir = await tempDir();
    const secret = place(dir, "c/secret.env", "TOKEN=t-1");
    const text = `{"envFile":"secret.env","servers":{"a":{"command":"x","envFile":"secret.env"}}}`;
    const file = place(dir, "c/mcp.json", text);
    const load = (): ReturnType<typeof loadServerConfigs> =>
      loadServerConfigs({ places: [{ scope: "explicit", file }], env: {} });
    for (const [mode, count] of [
      [0o644, 2],
      [0o620, 2],
      [0o600, 0],
      [0o400, 0],
    ] as const) {
      chmodSync(secret, mode);
      const { servers, diagnostics } = load();
      expect(servers[0]?.config).toMatchObject({ env: { TOKEN: "t-1" } });
      expect(diagnostics, mode.toString(8)).toHaveLength(count);
      for (const { severity, message } of diagnostics) {
        expect(severity).toBe("warning");
        expect(message).toContain("chmod 600");
      }
    }
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "config:env-file",
  "a missing envFile of a whole file is reported and its rows are read",
  async () => {
    await using dir = await tempDir();
    const text = `{"envFile":"gone.env","servers":{"a":{"command":"x"},"b":{"command":"\${TOKEN}"}}}`;
    const file = place(dir, "mcp.json", text);
    const { servers, diagnostics } = loadServerConfigs({ places: [{ scope: "explicit", file }], env: {} });
    expect(servers.map(({ config }) => config.id)).toEqual(["a"]);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'the "envFile" does not exist; check the path. It is ignored',
      expect.stringContaining("uses the variable TOKEN, which is not set"),
    ]);
  },
);
