import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { type LaunchAsWritten, launchHash, parseServerConfig } from "indusagi/config";
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

function sorted(launch: LaunchAsWritten): unknown {
  const byKey = (map: object = {}): unknown => Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return byKey({ ...launch, env: byKey(launch.env), headers: byKey(launch.headers) });
}
