import { defineConfig } from "vitest/config";
import { figuresFile } from "./test/faults/figures-file.ts";
import { FaultsReporter } from "./test/faults/reporter.ts";
import { HOME, polling, source, testkit } from "./vitest.config.ts";

/** The fault cases at full size, one file at a time: a case that measures must not share the machine with another. */
export default defineConfig({
  ...source,
  resolve: { ...source.resolve, alias: testkit },
  test: {
    include: ["packages/*/test/**/*.fault.test.ts"],
    globalSetup: HOME,
    reporters: ["default", new FaultsReporter()],
    env: { INDUS_FAULTS: "full", INDUS_FIGURES: figuresFile },
    expect: polling,
    fileParallelism: false,
    testTimeout: 15 * 60_000,
    hookTimeout: 60_000,
  },
});
