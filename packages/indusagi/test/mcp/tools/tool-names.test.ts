import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { MUTATING_NAMES, READ_ONLY_NAMES } from "indusagi/capabilities";
import { mintedToolName } from "indusagi/mcp";
import { expect } from "vitest";

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;
const awkward = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "_", "-", "0", "f", ".", "é", " "), maxLength: 10 }),
  fc.string({ unit: "binary", maxLength: 90 }),
);

verifies("mcp-names:injective", "legal whatever the pair, and different for different pairs", () => {
  fc.assert(
    fc.property(awkward, awkward, awkward, awkward, (s1, t1, s2, t2) => {
      expect(mintedToolName(s1, t1)).toMatch(LEGAL);
      const isSame = s1 === s2 && t1 === t2;
      expect(mintedToolName(s1, t1) === mintedToolName(s2, t2)).toBe(isSame);
    }),
    { numRuns: 2_000 },
  );
});

verifies("mcp-names:injective", "pairs that join to the same text", () => {
  const part = fc.string({ unit: fc.constantFrom("a", "_"), minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(part, part, part, part, (s1, t1, s2, t2) => {
      fc.pre(s1 !== s2 || t1 !== t2);
      expect(mintedToolName(s1, t1)).not.toBe(mintedToolName(s2, t2));
    }),
    { numRuns: 2_000 },
  );
});

verifies("mcp-names:injective", "plain where it can be, hashed where it must be", () => {
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
});

verifies("mcp-names:injective", "never the name of a native tool, however it is spelled", () => {
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
