import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { chooseDropped, type SizedNode } from "../../../../src/deck/checkpoint/store/maintain-store.ts";

const nodeOf = fc.record({
  session: fc.constantFrom("s1", "s2", "s3"),
  at: fc.nat(50),
  contents: fc
    .uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"))
    .map((hashes) => new Map(hashes.map((hash) => [hash, hash.charCodeAt(0)]))),
  isHeld: fc.boolean().map((held) => held),
});

/** Nodes of a few sessions. Within a session the times ascend. */
const nodesOf = fc
  .array(nodeOf, { maxLength: 20 })
  .map((nodes): SizedNode[] =>
    nodes
      .toSorted((a, b) => a.at - b.at)
      .map((node, index) => ({ ...node, node: `n${index}`, at: node.at + index / 100 })),
  );

const bytesOf = (nodes: readonly SizedNode[]): number =>
  [
    ...new Set(
      nodes.flatMap(({ session, contents }) =>
        [...contents].map(([hash, size]) => `${session} ${hash} ${size}`),
      ),
    ),
  ]
    .map((key) => Number(key.split(" ")[2]))
    .reduce((sum, size) => sum + size, 0);

verifies(
  "checkpoint:limits",
  "what is left is within the limits, or is held; no more is dropped than needed",
  () => {
    fc.assert(
      fc.property(nodesOf, fc.nat(50), fc.nat(1_000), (nodes, oldestAt, maxBytes) => {
        const dropped = chooseDropped(nodes, { oldestAt, maxBytes });
        const left = nodes.filter((node) => !dropped.includes(node));
        const firstHeld = (session: string): number =>
          Math.min(...nodes.filter((node) => node.session === session && node.isHeld).map(({ at }) => at));
        const free = left.filter((node) => node.at < firstHeld(node.session));
        // Only a node that is not held may be dropped, and only the oldest of its session.
        for (const { session, at } of dropped) {
          expect(at).toBeLessThan(firstHeld(session));
          expect(left.filter((node) => node.session === session && node.at < at)).toEqual([]);
        }
        expect(free.filter(({ at }) => at < oldestAt)).toEqual([]);
        if (free.length > 0) expect(bytesOf(left)).toBeLessThanOrEqual(maxBytes);
        // The last one that was dropped for its size was needed.
        const last = dropped.at(-1);
        if (last && last.at >= oldestAt) expect(bytesOf([...left, last])).toBeGreaterThan(maxBytes);
      }),
    );
  },
);
