import { defineConfig } from "vitest/config";
import { source, testkit } from "./vitest.config.ts";

/** The fault cases at full count. One file at a time: a case that measures must not share the machine with another. */
export default defineConfig({
  ...source,
  resolve: { ...source.resolve, alias: testkit },
  test: {
    include: ["packages/*/test/**/*.fault.test.ts"],
    globalSetup: ["test/faults/write-report.ts"],
    env: { INDUS_FAULTS: "full" },
    fileParallelism: false,
    testTimeout: 15 * 60_000,
    hookTimeout: 60_000,
  },
});
