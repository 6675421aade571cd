import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { Confinement } from "../../../../src/runtime/economy/code/confinement.ts";

verifies("code:confined", "a failure costs the confinement for a minute, and only if it never worked", () => {
  let nowMs = 0;
  const confinement = new Confinement({ monotonicMs: () => nowMs });
  expect(confinement.isTried).toBe(true);
  expect(confinement.failed()).toBe(true);
  expect(confinement.isTried).toBe(false);
  nowMs = 60_000;
  expect(confinement.isTried).toBe(true);
  confinement.worked();
  expect(confinement.failed()).toBe(false);
  expect(confinement.isTried).toBe(true);
});
