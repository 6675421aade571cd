import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { defaultConcurrency, resolveStarts } from "../../../../src/interop/fleet/starts/start-options.ts";

verifies("starts:cap", "by default twice the cores, between 4 and 12", () => {
  expect([1, 2, 3, 4, 6, 64].map((cores) => defaultConcurrency(cores))).toEqual([4, 4, 6, 8, 12, 12]);
  const processes = defaultConcurrency();
  expect(resolveStarts(undefined)).toEqual({
    processes,
    http: 20,
    installs: 2,
    slotMs: 3000,
    idleMs: 50,
    muteMs: 2500,
    installMs: 180_000,
  });
});
