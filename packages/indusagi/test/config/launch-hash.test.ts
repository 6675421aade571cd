import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { approvalHash, type LaunchAsWritten, launchHash, parseServerConfig } from "indusagi/config";
import { canonicalJson } from "indusagi/core";
import { expect } from "vitest";

const texts = fc.dictionary(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }), { maxKeys: 3 });
const launches: fc.Arbitrary<LaunchAsWritten> = fc.record({
  command: fc.string({ maxLength: 8 }),
  args: fc.array(fc.string({ maxLength: 8 }), { maxLength: 3 }),
  cwd: fc.string({ maxLength: 8 }),
  env: texts,
  url: fc.string({ maxLength: 8 }),
  headers: texts,
  envFiles: fc.array(fc.string({ maxLength: 8 }), { maxLength: 2 }),
});

verifies("catalogue:launch-hash", "two launches have one hash exactly if they are equal", () => {
  fc.assert(
    fc.property(launches, launches, (a, b) => {
      expect(launchHash(structuredClone(a))).toBe(launchHash(a));
      const isEqual = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
      expect(launchHash(a) === launchHash(b)).toBe(isEqual);
    }),
  );
});

verifies(
  "catalogue:launch-hash",
  "every member of a launch changes it, other members of a row do not",
  () => {
    const hashOf = (row: object, env: { readonly [name: string]: string } = { TOKEN: "secret" }): string => {
      const { servers } = parseServerConfig(JSON.stringify({ mcpServers: { s: row } }), { env });
      return servers[0] ? launchHash(servers[0].written) : "dropped";
    };
    const row = { command: "server", args: ["a"], env: { KEY: "${TOKEN}" } };
    expect(hashOf(row)).toMatch(/^[0-9a-f]{32}$/);
    expect(hashOf({ ...row, timeout: 5, required: true, excludeTools: ["x"], pin: "quarantine" })).toBe(
      hashOf(row),
    );
    expect(hashOf(row, { TOKEN: "another" })).toBe(hashOf(row));
    const changed = [
      { ...row, command: "other" },
      { ...row, args: ["b"] },
      { ...row, args: ["a", ""] },
      { ...row, cwd: "work" },
      { ...row, pin: "off" },
      { ...row, pin: "warn" },
      { ...row, env: { KEY: "${TOKEN:-x}" } },
      { ...row, env: { OTHER: "${TOKEN}" } },
      { url: "https://example.com/mcp" },
      { url: "https://example.com/mcp", headers: { A: "${TOKEN}" } },
    ];
    expect(new Set([row, ...changed].map((each) => hashOf(each))).size).toBe(changed.length + 1);
  },
);

/** Texts of one member each: forms that look alike to one reader and not to another. */
const MEMBERS: readonly string[] = [
  ...["{env:SECRET}", "${env:SECRET}", "$${env:SECRET}", "{env:{env:SECRET}}"].flatMap((value) => [
    `"headers":{"X":"${value}"}`,
    `"headers":{"X":{"fromCommand":["p","${value}"]}}`,
    `"env":{"X":"${value}"}`,
    `"args":["${value}"]`,
    `"cwd":"${value}"`,
    `"oauth":{"clientId":"${value}"}`,
    `"oauth":{"clientId":5,"clientId":"${value}"}`,
    `"envFile":"${value}"`,
    `"includeTools":["${value}"]`,
  ]),
  ...["5", "5.0", "1e999", "2e999", '"5"', '"1e999"', '"Infinity"', "-0", "null"].flatMap((value) => [
    `"timeout":${value}`,
    `"timeouts":{"callMs":${value}}`,
    `"timeouts":{"listMs":${value}}`,
    `"timeouts":{"callMs":5,"callMs":${value}}`,
    `"timeouts":{"callMs":${value},"callMs":6}`,
    `"idleMs":${value}`,
    `"includeTools":[${value}]`,
    `"includeTools":[{"a number as written":${value}}]`,
    `"toolOverrides":{"wipe":{"name":${value}}}`,
    `"toolOverrides":{"wipe":{"name":"list","name":${value}}}`,
    `"toolOverrides":{"wipe":{"name":"list"},"wipe":{"name":${value}}}`,
    `"toolOverrides":{"wipe":{"name":{"a number as written":${value}}}}`,
  ]),
  '"timeout":5,"type of":"opencode"',
  '"timeout":5,"timeout":6',
];

verifies(
  "trust:members",
  "rows that one approval covers do the same, whatever their type, their container, repeated members and spelling of numbers",
  () => {
    const launches = ['"command":"p"', '"url":"https://e.example/mcp"'];
    const types = ["", ...["http", "remote", "stdio", "local", "sse"].map((type) => `,"type":"${type}"`)];
    const rows = launches
      .flatMap((launch) => types.map((type) => `${launch}${type}`))
      .flatMap((row) => MEMBERS.map((member) => `"a":{${row},${member}}`));
    const texts = rows.flatMap((row) => ["servers", "mcp"].map((place) => `{"${place}":{${row}}}`));
    const effects = new Map<string, readonly [string, string]>();
    const different: (readonly [string, string])[] = [];
    for (const text of texts) {
      const { servers } = parseServerConfig(text, {
        env: { SECRET: "s" },
        readText: (path) => ({ text: path === "s" ? "OF_SECRET=1" : "OF_TEXT=1" }),
      });
      if (!servers[0]) continue;
      // How an approved program or URL is spoken to is not covered.
      const { kind: _, ...config } = servers[0].config;
      const effect = canonicalJson({ ...config, onMismatch: undefined });
      const hash = approvalHash(servers[0].written);
      const [first, other] = effects.get(hash) ?? [effect, text];
      if (effect !== first) different.push([other, text]);
      effects.set(hash, [first, other]);
    }
    expect(different).toEqual([]);
    expect(effects.size).toBeGreaterThan(100);
  },
);

function sorted(launch: LaunchAsWritten): unknown {
  const byKey = (map: object = {}): unknown => Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return byKey({ ...launch, env: byKey(launch.env), headers: byKey(launch.headers) });
}
