import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { compareStarts, type StartRank } from "../../../../src/interop/fleet/starts/start-queue.ts";

const someRank: fc.Arbitrary<StartRank> = fc.record({
  isCalled: fc.boolean(),
  isRestart: fc.boolean(),
  isRequired: fc.boolean(),
  isKnownToFail: fc.boolean(),
  readyMs: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
});

const plain: StartRank = {
  isCalled: false,
  isRestart: false,
  isRequired: false,
  isKnownToFail: false,
  readyMs: 100,
};
const inVain: StartRank = { ...plain, readyMs: undefined, isKnownToFail: true };

verifies(
  "starts:order",
  "called now, required, never seen before, then the shortest; restarts follow, and what was never ready comes last",
  () => {
    const inOrder: readonly StartRank[] = [
      { ...plain, isCalled: true, isRestart: true },
      { ...inVain, isCalled: true },
      { ...inVain, isRequired: true },
      { ...plain, isRequired: true },
      { ...plain, readyMs: undefined },
      { ...plain, readyMs: 50 },
      { ...plain, readyMs: 300 },
      { ...plain, isRestart: true, isRequired: true },
      { ...plain, isRestart: true, readyMs: 10 },
      inVain,
      { ...inVain, isRestart: true },
    ];
    expect(inOrder.toReversed().sort(compareStarts)).toEqual(inOrder);
  },
);

verifies("starts:order", "the order has no cycles and no contradictions", () => {
  fc.assert(
    fc.property(someRank, someRank, someRank, (a, b, c) => {
      expect(Math.sign(compareStarts(a, b))).toBe(-Math.sign(compareStarts(b, a)) + 0);
      if (compareStarts(a, b) <= 0 && compareStarts(b, c) <= 0)
        expect(compareStarts(a, c)).toBeLessThanOrEqual(0);
    }),
  );
});
