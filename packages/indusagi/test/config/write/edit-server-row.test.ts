import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  type ConfigEdit,
  editConfigFile,
  editConfigValues,
  editServerRow,
  parseServerConfig,
  readConfigValue,
  writtenRows,
} from "indusagi/config";
import { expect } from "vitest";

const OURS = `\uFEFF{
\t// Shared by the team.
\t"servers": {
\t\t"files": { "command": "npx", "args": ["-y", "server-files", "."], "x-team": 7 }, // keep
\t\t"remote": {
\t\t\t"url": "https://mcp.example.com/mcp", /* prod */
\t\t\t"headers": { "Authorization": "Bearer \${TOKEN}" },
\t\t},
\t},
\t"other": [1,2,
\t\t3],
}
`;

verifies("config:edit-row", "a row is added, and every other character stays", () => {
  const row = { command: "node", args: ["a.mjs"], env: { KEY: "${KEY:-none}" } };
  const edited = editServerRow(OURS, { name: "new", change: { add: row } });
  expect(edited.startsWith("\uFEFF{\n\t// Shared by the team.")).toBe(true);
  for (const line of OURS.split("\n").filter((text) => !/^\t?\t\},?$/.test(text)))
    expect(edited).toContain(line);
  expect(writtenRows(edited).map(({ name }) => name)).toEqual(["files", "remote", "new"]);
  expect(writtenRows(edited)[2]?.row).toEqual(row);
  expect(edited).toMatch(/\n\t\t"new": \{\n\t\t\t"command": "node"/);
});

verifies("config:edit-row", "a member of a row is set or removed, and every other character stays", () => {
  const set = editServerRow(OURS, { name: "remote", change: { set: { enabled: false } } });
  const lines = set.split("\n").filter((line) => !OURS.includes(line));
  expect(lines.map((line) => line.trim())).toEqual(['"enabled": false,']);
  expect(set).toContain('"Bearer ${TOKEN}"');
  const back = editServerRow(set, { name: "remote", change: { set: { enabled: undefined } } });
  expect(readConfigValue(back)).toEqual(readConfigValue(OURS));
  expect(back).toContain("/* prod */");
});

verifies("config:edit-row", "a row is removed, also from a list that has it twice", () => {
  const removed = editServerRow(OURS, { name: "remote", change: { remove: true } });
  expect(removed).toContain("// keep");
  expect(removed).toContain('"x-team": 7');
  expect(writtenRows(removed).map(({ name }) => name)).toEqual(["files"]);
  const list =
    '{ "servers": [{ "name": "a", "command": "x" }, { "name": "b", "command": "y" }, { "name": "a", "command": "z" }] }';
  expect(writtenRows(editServerRow(list, { name: "a", change: { remove: true } }))).toMatchObject([
    { name: "b" },
  ]);
  const added = editServerRow(list, { name: "c", change: { add: { command: "w" } } });
  expect(parseServerConfig(added).servers.map(({ config }) => config.id)).toEqual(["b", "a", "c"]);
});

verifies("config:edit-row", "rows of every shape are found where they are", () => {
  const shapes = {
    '{ "mcpServers": { "a": { "command": "x" } } }': ["mcpServers", "a"],
    '{ "mcp": { "a": { "type": "local", "command": ["x"] } } }': ["mcp", "a"],
    '{ "context_servers": { "a": { "command": "x" } } }': ["context_servers", "a"],
  };
  for (const [text, path] of Object.entries(shapes)) {
    expect(writtenRows(text)).toMatchObject([{ name: "a", path }]);
    const added = editServerRow(text, { name: "b", change: { add: { type: "local", command: "y" } } });
    expect(writtenRows(added)[1]?.path).toEqual([path[0], "b"]);
  }
});

verifies(
  "config:edit-refusals",
  "an edit that would guess or lose something is refused with the reason",
  () => {
    const refusal = (text: string, edits: readonly ConfigEdit[]) => () =>
      editConfigValues(text, edits, "f.json");
    const enabled = { path: ["servers", "a", "enabled"], value: false };
    expect(refusal('{ "servers": { "a": {}, "a": {} } }', [enabled])).toThrow('"f.json" has "enabled" twice');
    expect(refusal('{ "servers": ', [enabled])).toThrow(
      /"f.json" is not valid JSON.*\(line 1\); fix it first/,
    );
    expect(refusal("[]", [enabled])).toThrow("does not contain an object");
    expect(() => editServerRow(OURS, { name: "no", change: { remove: true }, file: "f" })).toThrow(
      '"f" has no server "no"',
    );
    expect(() => editServerRow(OURS, { name: "files", change: { add: {} }, file: "f" })).toThrow(
      "already has",
    );
  },
);

const names = fc.constantFrom("a", "b", "servers", "__proto__", "x y", "ü");
const values = fc.jsonValue({ maxDepth: 2 });
const objects = fc.dictionary(names, fc.oneof(values, fc.dictionary(names, values)));
const edits = fc.array(
  fc.record({
    path: fc.array(names, { minLength: 1, maxLength: 3 }),
    value: fc.option(values, { nil: undefined }),
  }),
  { maxLength: 4 },
);

verifies(
  "config:edit-law",
  "after an edit the text has the wanted value, and the other values are unchanged",
  () => {
    const law = fc.property(
      objects,
      edits,
      fc.constantFrom(undefined, 2, "\t"),
      (object, changes, indent) => {
        const text = `${JSON.stringify(object, undefined, indent)} // end`;
        let edited = text;
        for (const { path, value } of changes) {
          const before = readConfigValue(edited);
          const parent = path
            .slice(0, -1)
            .reduce<unknown>(childOf, "value" in before ? before.value : undefined);
          // A value that is no object cannot have members.
          if (
            parent !== undefined &&
            (typeof parent !== "object" || parent === null || Array.isArray(parent))
          )
            continue;
          if (hasScalarOnTheWay(before, path)) continue;
          edited = editConfigValues(edited, [{ path, value }]);
          const after = readConfigValue(edited);
          const found = path.reduce<unknown>(childOf, "value" in after ? after.value : undefined);
          expect(found).toEqual(value);
          for (const [name, other] of Object.entries("value" in before ? (before.value as object) : {}))
            if (name !== path[0]) expect(childOf("value" in after ? after.value : {}, name)).toEqual(other);
        }
        expect(edited.endsWith("// end")).toBe(true);
      },
    );
    fc.assert(law, { numRuns: 150 });
  },
);

function childOf(value: unknown, name: string): unknown {
  const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  return isObject ? (value as { readonly [member: string]: unknown })[name] : undefined;
}

function hasScalarOnTheWay(reading: ReturnType<typeof readConfigValue>, path: readonly string[]): boolean {
  let value: unknown = "value" in reading ? reading.value : undefined;
  for (const name of path) {
    if (value === undefined) return false;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return true;
    value = childOf(value, name);
  }
  return false;
}

verifies(
  "config:edit-file",
  "a file is replaced in one step with its mode, after the copy is kept",
  async () => {
    await using dir = await tempDir();
    const path = dir.at("deep", "mcp.json");
    const created = editConfigFile(path, (text) => `${text ?? "{}"}\n`);
    expect(created).toEqual({ path, after: "{}\n" });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o644);
    const kept: string[] = [];
    editConfigFile(path, () => '{ "servers": {} }', { backUp: ({ before = "" }) => void kept.push(before) });
    expect(kept).toEqual(["{}\n"]);
    expect(statSync(path).mode & 0o777).toBe(0o644);
    const dry = editConfigFile(path, () => "{}", { write: false });
    expect([dry.after, readFileSync(path, "utf8")]).toEqual(["{}", '{ "servers": {} }']);
    const refuse = (): never => {
      throw new Error("no room for a copy");
    };
    expect(() => editConfigFile(path, () => "{}", { backUp: refuse })).toThrow("no room for a copy");
    expect(readFileSync(path, "utf8")).toBe('{ "servers": {} }');
    writeFileSync(dir.at("binary"), Buffer.from([0xff, 0xfe, 0xff]));
    expect(() => editConfigFile(dir.at("binary"), () => "")).toThrow("is not UTF-8");
    expect(existsSync(dir.at("missing"))).toBe(false);
  },
);
