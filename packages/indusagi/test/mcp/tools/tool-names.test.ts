import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { MUTATING_NAMES, READ_ONLY_NAMES } from "indusagi/capabilities";
import { wireName } from "indusagi/interop";
import { mintedToolName } from "indusagi/mcp";
import { expect } from "vitest";

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;
const awkward = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "_", "-", "0", "f", ".", "é", " "), maxLength: 10 }),
  fc.string({ unit: "binary", maxLength: 90 }),
);

verifies(
  "mcp-names:injective",
  "every pair gets a legal name, and different pairs get different names",
  () => {
    fc.assert(
      fc.property(awkward, awkward, awkward, awkward, (s1, t1, s2, t2) => {
        expect(mintedToolName(s1, t1)).toMatch(LEGAL);
        const isSame = s1 === s2 && t1 === t2;
        expect(mintedToolName(s1, t1) === mintedToolName(s2, t2)).toBe(isSame);
      }),
      { numRuns: 2_000 },
    );
  },
);

/** The two separators of `joinToolName`. The law is the same for both. */
const JOINS = {
  minted: mintedToolName,
  wire: (server: string, name: string): string => wireName({ server, name }),
};

for (const [kind, join] of Object.entries(JOINS))
  verifies("mcp-names:injective", `${kind} names differ for pairs that join to the same text`, () => {
    const part = fc.string({ unit: fc.constantFrom("a", "_", "__"), minLength: 1, maxLength: 5 });
    // The second pair is the first one, joined and split at another place.
    const pairs = fc
      .tuple(part, part, fc.constantFrom("_", "__"), fc.nat(12))
      .map(([server, tool, separator, at]) => {
        const joined = `${server}${separator}${tool}`;
        const cut = joined.indexOf(separator, at);
        const other = cut < 0 ? [server, tool] : [joined.slice(0, cut), joined.slice(cut + separator.length)];
        return { server, tool, otherServer: other[0] ?? "", otherTool: other[1] ?? "" };
      });
    fc.assert(
      fc.property(pairs, ({ server, tool, otherServer, otherTool }) => {
        const isSame = server === otherServer && tool === otherTool;
        expect(join(server, tool) === join(otherServer, otherTool)).toBe(isSame);
      }),
      { numRuns: 2_000 },
    );
  });

for (const [kind, join] of Object.entries(JOINS))
  verifies("mcp-names:injective", `${kind} names cannot be claimed through the name of a tool`, () => {
    fc.assert(
      fc.property(awkward, awkward, (server, tool) => {
        const name = join(server, tool);
        const at = name.indexOf("_");
        fc.pre(at > 0);
        for (const separator of ["_", "__"]) {
          const [claimant, claimed] = [name.slice(0, at), name.slice(at + separator.length)];
          fc.pre(claimant !== server || claimed !== tool);
          expect(join(claimant, claimed)).not.toBe(name);
        }
      }),
      { numRuns: 1_000 },
    );
  });

verifies(
  "mcp-names:injective",
  "a name is the plain join where that is unambiguous, else it is hashed",
  () => {
    expect(mintedToolName("fs", "read_file")).toBe("fs_read_file");
    expect(mintedToolName("my-server", "a")).toBe("my-server_a");
    for (const [server, tool] of [
      ["my_server", "a"],
      ["fs", "a.b"],
      ["fs", "x".repeat(62)],
      ["fs", ""],
      ["", "a"],
      ["fs", "a_0123abcd"],
    ] as const)
      expect(mintedToolName(server, tool)).toMatch(/_[0-9a-f]{8}$/);
    expect(mintedToolName("fs", "x".repeat(61))).toHaveLength(64);
    expect(mintedToolName("server", "tool".repeat(9), 32)).toHaveLength(32);
  },
);

verifies("mcp-names:injective", "a name is never that of a native tool, in any spelling", () => {
  for (const [server, tool] of [
    ["todo", "read"],
    ["Todo", "Set"],
    ["web", "search"],
    ["l", "s"],
    ["ba-", "-sh"],
    ...[...READ_ONLY_NAMES, ...MUTATING_NAMES].map((name) => [name.slice(0, 1), name.slice(1)] as const),
  ] as const)
    expect(mintedToolName(server, tool)).toMatch(/_[0-9a-f]{8}$/);
});
