import { verifies } from "@indus/testkit";
import { launchHash, parseServerConfig, projectServerEntry } from "indusagi/config";
import { expect } from "vitest";

const parse = (row: object): ReturnType<typeof parseServerConfig> =>
  parseServerConfig(JSON.stringify({ servers: { s: row } }), { env: { VAULT: "v" } });

verifies("config:from-command", "env and headers may name commands; variables in them are expanded", () => {
  const value = { fromCommand: ["op", "read", "op://${VAULT}/x"] };
  const [stdio] = parse({ command: "x", env: { A: "1", TOKEN: value } }).servers;
  expect(stdio?.config).toEqual({
    kind: "stdio",
    id: "s",
    command: "x",
    env: { A: "1" },
    fromCommand: { TOKEN: ["op", "read", "op://v/x"] },
  });
  expect(stdio?.written.fromCommand).toEqual({ TOKEN: ["op", "read", "op://${VAULT}/x"] });
  const [http] = parse({ url: "https://example.com/mcp", headers: { "X-Key": value } }).servers;
  expect(http?.config).toMatchObject({ headers: {}, fromCommand: { "X-Key": ["op", "read", "op://v/x"] } });
});

verifies("config:from-command", "a change of a command changes the launch that was approved", () => {
  const hashOf = (...fromCommand: readonly string[]): string => {
    const [row] = parse({ command: "x", env: { TOKEN: { fromCommand } } }).servers;
    return row ? launchHash(row.written) : "dropped";
  };
  const hashes = [hashOf("op", "a"), hashOf("op", "b"), hashOf("op"), hashOf("op", "a", "")];
  expect(new Set(hashes).size).toBe(4);
  expect(hashes).not.toContain("dropped");
});

verifies("config:from-command", "a command that is not a list of strings drops the row with one line", () => {
  for (const fromCommand of ["op read", [], ["op", 1], null, {}, ["", "x"], ["op", "a\nb"], ["${UNSET}"]]) {
    const { servers, diagnostics } = parse({ command: "x", env: { TOKEN: { fromCommand } } });
    expect(servers, JSON.stringify(fromCommand)).toEqual([]);
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]?.message).toContain('"fromCommand" of env "TOKEN"');
  }
  expect(parse({ command: "x", env: { T: { fromCommand: ["op"], shell: true } } }).servers).toEqual([]);
});

verifies("config:from-command", "a saved row names the same commands", () => {
  for (const row of [
    { command: "x", env: { A: "1", T: { fromCommand: ["op", "x"] } } },
    { url: "https://example.com/mcp", headers: { T: { fromCommand: ["op", "x"] } } },
  ]) {
    const [first] = parse(row).servers;
    const { name: _, ...entry } = first ? projectServerEntry(first.config) : {};
    expect(parse(entry).servers[0]?.config).toEqual(first?.config);
  }
});
