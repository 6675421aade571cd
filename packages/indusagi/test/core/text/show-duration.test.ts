import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { showDuration } from "indusagi/core";
import { expect } from "vitest";

const UNITS: { readonly [unit: string]: number } = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 };

/** Reads a duration back. `stepMs`: the smallest difference that its form can show. */
function read(text: string): { readonly ms: number; readonly stepMs: number } {
  const parts = [...text.matchAll(/(\d+(?:\.\d)?) (ms|s|min|h)/g)];
  expect(parts.map(([part]) => part).join(" ")).toBe(text);
  const ms = parts.reduce(
    (sum, [, amount, unit = ""]) => sum + Number(amount) * (UNITS[unit] ?? Number.NaN),
    0,
  );
  const stepMs = ms < 1000 ? 1 : ms < 60_000 ? 100 : ms < 3_600_000 ? 1000 : 60_000;
  return { ms, stepMs };
}

verifies("core:duration", "durations are shown as people write them", () => {
  const shown: readonly [number, string][] = [
    [0, "0 s"],
    [0.4, "0 s"],
    [250, "250 ms"],
    [999.7, "1 s"],
    [1500, "1.5 s"],
    [29_999.992462, "30 s"],
    [30_000, "30 s"],
    [59_960, "1 min"],
    [90_000, "1 min 30 s"],
    [120_000, "2 min"],
    [3_599_600, "1 h"],
    [7_800_000, "2 h 10 min"],
    [-5, "0 s"],
  ];
  for (const [ms, text] of shown) expect(showDuration(ms)).toBe(text);
});

verifies(
  "core:duration",
  "what is shown is the nearest of its form, and a longer time never shows less",
  () => {
    const times = fc.oneof(
      fc.double({ min: 0, max: 2000, noNaN: true }),
      fc.double({ min: 0, max: 400_000, noNaN: true }),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.constantFrom(999.4999, 999.5, 59_949, 59_950, 3_599_499, 3_599_500),
    );
    fc.assert(
      fc.property(times, times, (one, other) => {
        const { ms, stepMs } = read(showDuration(one));
        expect(Math.abs(ms - one)).toBeLessThanOrEqual(stepMs / 2 + 1e-6);
        const [less, more] = one <= other ? [one, other] : [other, one];
        expect(read(showDuration(less)).ms).toBeLessThanOrEqual(read(showDuration(more)).ms);
      }),
    );
  },
);
