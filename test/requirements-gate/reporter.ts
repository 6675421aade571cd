import type { Reporter, TestModule, TestRunEndReason, Vitest } from "vitest/node";
import { requirements } from "../requirements/index.ts";
import { judgeRequirements } from "./judge.ts";

/** Fails a run in which a requirement has no test that passed, or a test cites an unknown requirement. */
export class RequirementsReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    _errors: unknown,
    reason: TestRunEndReason,
  ): Promise<void> {
    if (reason === "interrupted") return;
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const { problems, notes } = judgeRequirements({
      requirements: Object.keys(requirements),
      tests: tests.map((test) => ({ name: test.name, state: test.result().state })),
      platform: process.platform,
      isWhole: await this.#isWhole(modules),
    });
    for (const note of notes) process.stdout.write(`requirement not checked: ${note}\n`);
    for (const problem of problems) process.stderr.write(`REQUIREMENT ${problem}\n`);
    if (problems.length > 0) process.exitCode = 1;
  }

  /** Whether every test file ran, and no test was left out by name. */
  async #isWhole(modules: readonly TestModule[]): Promise<boolean> {
    if (!this.#vitest || this.#vitest.config.testNamePattern !== undefined) return false;
    const ran = new Set(modules.map(({ moduleId }) => moduleId));
    const all = await this.#vitest.globTestSpecifications();
    return all.every(({ moduleId }) => ran.has(moduleId));
  }
}
