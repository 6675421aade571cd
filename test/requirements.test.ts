import { verifies } from "@indus/testkit";
import { expect, test } from "vitest";
import { requirements } from "./requirements/index.ts";
import { judgeRequirements, type RunTest } from "./requirements-gate/judge.ts";

test("every requirement is one sentence with a valid id", () => {
  for (const [id, sentence] of Object.entries(requirements)) {
    expect(id).toMatch(/^[a-z0-9-]+:[a-z0-9-]+$/);
    expect(sentence.length, id).toBeGreaterThan(15);
  }
});

const passed: RunTest = { name: "[a:one] it holds", state: "passed" };
const run = (tests: readonly RunTest[], changes: Partial<Parameters<typeof judgeRequirements>[0]> = {}) =>
  judgeRequirements({ requirements: ["a:one"], tests, platform: "linux", isWhole: true, ...changes });

verifies("house:requirements-gate", "a requirement with a test that passed is met", () => {
  const skippedToo: RunTest = { name: "[a:one] elsewhere", state: "skipped" };
  expect(run([passed, skippedToo])).toEqual({ problems: [], notes: [] });
});

verifies("house:requirements-gate", "a requirement without a test that passed fails a whole run", () => {
  expect(run([]).problems).toEqual(["a:one: no test cites it"]);
  expect(run([{ name: "it holds", state: "passed" }]).problems).toEqual(["a:one: no test cites it"]);
  expect(run([{ ...passed, state: "failed" }]).problems).toEqual(["a:one: no test that cites it passed"]);
  expect(run([{ ...passed, state: "pending" }]).problems).toEqual(["a:one: no test that cites it passed"]);
});

verifies("house:requirements-gate", "an id that is only skipped is listed, and fails on Linux", () => {
  const skipped: RunTest[] = [{ ...passed, state: "skipped" }];
  expect(run(skipped)).toEqual({ problems: ["a:one: all its tests are skipped on linux"], notes: [] });
  expect(run(skipped, { platform: "win32" })).toEqual({
    problems: [],
    notes: ["a:one: all its tests are skipped on win32"],
  });
});

verifies("house:requirements-gate", "a test that cites an unknown id fails any run", () => {
  const stray: RunTest = { name: "[b:two] it holds", state: "passed" };
  expect(run([passed, stray], { isWhole: false }).problems).toEqual([
    "b:two: a test cites it, but test/requirements has no such id",
  ]);
});

verifies("house:requirements-gate", "a run of some tests does not ask for the others", () => {
  expect(run([], { isWhole: false })).toEqual({ problems: [], notes: [] });
});
