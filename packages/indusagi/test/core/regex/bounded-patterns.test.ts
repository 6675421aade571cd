import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { type CompileLinear, createBoundedPatterns, loadLinearRegex } from "../../../src/core/internal.ts";

/** Counts the characters compiled and tested. */
function countingCompile(size: number): { compile: CompileLinear; compiled: string[]; tested: () => number } {
  const compiled: string[] = [];
  let tested = 0;
  const test = (text: string): boolean => {
    tested += text.length;
    return true;
  };
  const compile: CompileLinear = (pattern) => {
    compiled.push(pattern);
    return pattern === "no" ? undefined : { size, test };
  };
  return { compile, compiled, tested: () => tested };
}

verifies(
  "core:bounded-patterns",
  "a pattern is compiled once, and what cannot be expressed is not evaluated",
  () => {
    const { compile, compiled } = countingCompile(5);
    const patterns = createBoundedPatterns(compile);
    for (let check = 0; check < 3; check++) {
      const matches = patterns.startCheck();
      expect([matches("a", "x"), matches("no", "x"), matches("a", "y")]).toEqual([true, undefined, true]);
    }
    expect(compiled).toEqual(["a", "no"]);
  },
);

verifies(
  "core:bounded-patterns",
  "one check tests and compiles a limited amount, whatever it is split into",
  () => {
    for (const size of [5, 2000]) {
      for (const length of [1, 100, 10_000, 1_000_000]) {
        const { compile, tested } = countingCompile(size);
        const matches = createBoundedPatterns(compile).startCheck();
        const text = "x".repeat(length);
        for (let at = 0; at * length < 1_000_000; at++) matches("a", text);
        expect(tested() * size).toBeLessThan(20_000_000);
        expect(matches("a", text), `${size} ${length}`).toBeUndefined();
      }
    }
    const { compile, compiled } = countingCompile(5);
    const matches = createBoundedPatterns(compile).startCheck();
    for (let at = 0; at < 1000; at++) matches(`${at}`.padEnd(100, "x"), "");
    expect(compiled.length).toBeLessThan(101);
  },
);

verifies("core:bounded-patterns", "the next check has its full amount again", async () => {
  const patterns = createBoundedPatterns(await loadLinearRegex());
  const first = patterns.startCheck();
  expect(first("^a", "a".repeat(10_000_000))).toBeUndefined();
  for (let at = 0; at < 100; at++) first("^a", "b".repeat(10_000));
  expect(first("^a", "b".repeat(10_000))).toBeUndefined();
  expect(patterns.startCheck()("^a", "b")).toBe(false);
});
