import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { atSize, tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  ConfigError,
  parseServerConfig,
  projectServerEntry,
  type ServerConfigFile,
  writeServerConfig,
} from "indusagi/config";
import type { ServerConfig } from "indusagi/interop";
import { expect } from "vitest";

const ONE: ServerConfigFile = { servers: { a: { command: "x", args: undefined } } };
const text = (path: string): string => readFileSync(path, "utf8");

function refusal(path: string, config: ServerConfigFile = ONE): unknown {
  try {
    writeServerConfig(path, config);
    return undefined;
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigError);
    return thrown;
  }
}

verifies(
  "config:write",
  "a new file is readable by its owner only, its folder is created, and undefined members are left out",
  async () => {
    await using dir = await tempDir();
    const path = dir.at("new/mcp.json");
    writeServerConfig(path, ONE);
    expect(text(path)).toBe(`{\n  "servers": {\n    "a": {\n      "command": "x"\n    }\n  }\n}\n`);
    if (process.platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir.at("new"))).toEqual(["mcp.json"]);
  },
);

verifies("config:write", "a list stays a list", async () => {
  await using dir = await tempDir();
  const path = dir.at("mcp.json");
  writeServerConfig(path, { servers: [{ name: "a", command: "x" }] });
  expect(JSON.parse(text(path))).toEqual({ servers: [{ name: "a", command: "x" }] });
  writeServerConfig(path, { servers: { a: { command: "y" }, b: { url: "https://h/" } } });
  expect(JSON.parse(text(path))).toEqual({
    servers: [
      { name: "a", command: "y" },
      { name: "b", url: "https://h/" },
    ],
  });
});

verifies(
  "config:write",
  "mode and link of an existing file are kept",
  async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at("real.json"), "{}");
    chmodSync(dir.at("real.json"), 0o644);
    symlinkSync("real.json", dir.at("mcp.json"));
    writeServerConfig(dir.at("mcp.json"), ONE);
    expect(lstatSync(dir.at("mcp.json")).isSymbolicLink()).toBe(true);
    expect(statSync(dir.at("real.json")).mode & 0o777).toBe(0o644);
    expect(JSON.parse(text(dir.at("real.json")))).toEqual({ servers: { a: { command: "x" } } });
  },
  { only: ["linux", "darwin"] },
);

verifies("config:write-comments", "comments, other members, order and indentation are kept", async () => {
  await using dir = await tempDir();
  const path = dir.at("mcp.json");
  writeFileSync(
    path,
    `// my servers
{
    "$schema": "x", // kept
    "mcpServers": {
        // the first
        "a": {
            "command": "x", // the program
            "autoApprove": ["t"],
            "disabled": true
        },
        /* goes with b */
        "b": { "command": "y" },
        "c": { "command": "z" } // untouched
    }
}
`,
  );
  writeServerConfig(path, {
    servers: { a: { command: "x2", enabled: false }, c: { command: "z" }, d: { url: "https://h/" } },
  });
  const written = text(path);
  for (const comment of ["// my servers", "// kept", "// the first", "// the program", "// untouched"])
    expect(written).toContain(comment);
  expect(written).toContain('\n        "d": {\n            "url": "https://h/"');
  expect(written).toContain('"autoApprove"');
  expect(written).not.toMatch(/"b"|"disabled"/);
  expect(parseServerConfig(written).servers.map(({ config }) => config)).toEqual([
    { kind: "stdio", id: "a", command: "x2", enabled: false },
    { kind: "stdio", id: "c", command: "z" },
    { kind: "streamable-http", id: "d", url: "https://h/" },
  ]);
});

verifies("config:write-comments", "a list is edited in place", async () => {
  await using dir = await tempDir();
  const path = dir.at("mcp.json");
  writeFileSync(
    path,
    `{"servers": [ // rows\n  {"name": "a", "command": "x"}, // a\n  {"name": "b", "command": "y"}\n]}`,
  );
  writeServerConfig(path, {
    servers: [
      { name: "c", command: "z" },
      { name: "a", command: "x", args: ["1"] },
    ],
  });
  expect(text(path)).toContain("// rows");
  expect(parseServerConfig(text(path)).servers.map(({ config }) => config)).toEqual([
    { kind: "stdio", id: "a", command: "x", args: ["1"] },
    { kind: "stdio", id: "c", command: "z" },
  ]);
});

verifies("config:write-comments", "the rows are right also where editing is ambiguous", async () => {
  await using dir = await tempDir();
  const path = dir.at("mcp.json");
  writeFileSync(
    path,
    `{/* c */"servers":{"a":{"command":"1"},"a":{"command":"2"}},"mcpServers":{"z":{"command":"z"}}}`,
  );
  writeServerConfig(path, { servers: { a: { command: "3" }, __proto__x: { command: "4" } } });
  const { servers, diagnostics } = parseServerConfig(text(path));
  expect(servers.map(({ config }) => config)).toEqual([
    { kind: "stdio", id: "a", command: "3" },
    { kind: "stdio", id: "__proto__x", command: "4" },
  ]);
  expect(diagnostics).toEqual([]);
});

verifies("config:write-refusals", "a malformed file is not overwritten, unless asked for", async () => {
  await using dir = await tempDir();
  const path = dir.at("mcp.json");
  writeFileSync(path, `{\n"servers": {`);
  expect(refusal(path)).toMatchObject({
    kind: "malformed",
    file: path,
    message: expect.stringContaining("line 2"),
  });
  expect(text(path)).toBe(`{\n"servers": {`);
  writeServerConfig(path, ONE, { overwriteMalformed: true });
  expect(parseServerConfig(text(path)).servers).toHaveLength(1);
  writeFileSync(path, "");
  writeServerConfig(path, ONE);
  expect(parseServerConfig(text(path)).servers).toHaveLength(1);
});

verifies(
  "config:write-refusals",
  "invalid rows, and files too large to read again, are refused",
  async () => {
    await using dir = await tempDir();
    const path = dir.at("mcp.json");
    expect(refusal(path, { servers: [{ command: "x" }] })).toMatchObject({ kind: "invalid" });
    expect(refusal(path, { servers: { " ": { command: "x" } } })).toMatchObject({ kind: "invalid" });
    const huge = { servers: { a: { command: "x".repeat(5_000_000) } } };
    expect(refusal(path, huge)).toMatchObject({ kind: "invalid" });
    const cyclic: { [name: string]: unknown } = {};
    cyclic["env"] = cyclic;
    expect(refusal(path, { servers: { a: cyclic } })).toMatchObject({ kind: "invalid" });
    expect(readdirSync(dir.path)).toEqual([]);
    const settings = `{"mcp":{"servers":{"z":{"command":"z"}}}}`;
    writeFileSync(path, settings);
    expect(refusal(path)).toMatchObject({ kind: "invalid" });
    expect(text(path)).toBe(settings);
  },
);

verifies(
  "config:write-refusals",
  "a path that is not a file, or whose folder is a file, is refused and left unchanged",
  async () => {
    await using dir = await tempDir();
    execFileSync("mkfifo", [dir.at("fifo")]);
    symlinkSync("nowhere", dir.at("link"));
    mkdirSync(dir.at("folder"));
    writeFileSync(dir.at("file"), "");
    for (const name of ["fifo", "link", "folder", "file/mcp.json"])
      expect(refusal(dir.at(name)), name).toMatchObject({ kind: "unwritable" });
    expect(readdirSync(dir.path).toSorted()).toEqual(["fifo", "file", "folder", "link"]);
  },
  { only: ["linux", "darwin"] },
);

const word = fc.stringMatching(/^[a-zA-Z0-9_./ -]{1,12}$/).filter((name) => name.trim() !== "");
const names = fc.oneof(word, fc.constantFrom("__proto__", "constructor", "1", "mcp", 'a"b', "ü"));
const texts = fc.dictionary(fc.stringMatching(/^[A-Z_]{1,8}$/), word, { maxKeys: 3 });
const optional = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined });
const common = {
  timeouts: optional(fc.record({ callMs: fc.integer({ min: 1000, max: 99_999 }) })),
  share: optional(fc.constantFrom("fleet" as const, "session" as const)),
  pin: optional(fc.constantFrom("off" as const, "hold" as const)),
  enabled: optional(fc.constant(false)),
  required: optional(fc.constant(true)),
  includeTools: optional(fc.array(word, { maxLength: 2 })),
  excludeTools: optional(fc.array(word, { maxLength: 2 })),
  toolOverrides: optional(fc.dictionary(word, fc.record({ name: word, description: word }), { maxKeys: 2 })),
};
const launches = fc.oneof(
  fc.record({
    kind: fc.constant("stdio"),
    command: fc.stringMatching(/^[a-z/]{1,9}$/),
    args: optional(fc.array(word, { maxLength: 3 })),
    env: optional(texts),
    cwd: optional(fc.constant("/tmp/x")),
    ...common,
  }),
  fc.record({
    kind: fc.constant("streamable-http"),
    url: fc.webUrl(),
    headers: optional(texts),
    onMismatch: optional(fc.constant("fail")),
    ...common,
  }),
  fc.record({ kind: fc.constant("sse"), url: fc.webUrl(), onMismatch: fc.constant("fail"), ...common }),
);
const servers = fc
  .uniqueArray(names, { maxLength: 4 })
  .chain((ids) => fc.tuple(...ids.map((id) => launches.map((launch) => ({ ...launch, id })))));
const before = fc.constantFrom(
  undefined,
  "{}",
  `{"servers": []}`,
  `{ // c\n "mcpServers": {"1": {"command": "x", "x": 1}, /* d */ "constructor": {"url": "https://h/"}}, "other": [1]}`,
  `{\t"servers": [ // c\n {"name": "1", "command": "x"}, {"name":"1","url":"http://h"}, {"name":"gone"}, 5]}`,
);

verifies(
  "config:round-trip",
  "any servers written over any file are read back as the same servers",
  async () => {
    await using dir = await tempDir();
    const path = dir.at("mcp.json");
    fc.assert(
      fc.property(servers, before, fc.boolean(), (configs, existing, asList) => {
        const wanted = configs as unknown as ServerConfig[];
        const entries = wanted.map(projectServerEntry);
        writeFileSync(path, existing ?? "");
        writeServerConfig(path, {
          servers: asList ? entries : Object.fromEntries(entries.map((entry) => [entry.name ?? "", entry])),
        });
        const parsed = parseServerConfig(text(path), { env: {} });
        const byId = (all: readonly ServerConfig[]): object =>
          Object.fromEntries(all.map((config) => [config.id, JSON.parse(JSON.stringify(config))]));
        expect(byId(parsed.servers.map(({ config }) => config))).toEqual(byId(wanted));
        expect(parsed.dropped).toEqual([]);
      }),
      { numRuns: atSize({ quick: 60, full: 3000 }) },
    );
    expect(readdirSync(dir.path)).toEqual(["mcp.json"]);
  },
);
