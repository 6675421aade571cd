import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { RequirementsReporter } from "./test/requirements-gate/reporter.ts";

/** Our own packages resolve to their source, so that no test needs a build. */
export const source = {
  resolve: { conditions: ["@indus/source"] },
  ssr: { resolve: { conditions: ["@indus/source"] } },
};

export const testkit = { "@indus/testkit": fileURLToPath(new URL("test/kit/index.ts", import.meta.url)) };

/** `npm run test:nodes` reads the counts of a run from this file. */
const summaryFile = process.env["INDUS_TEST_SUMMARY"];
const summary: ["json", { outputFile: string }][] = summaryFile
  ? [["json", { outputFile: summaryFile }]]
  : [];

export default defineConfig({
  ...source,
  resolve: { ...source.resolve, alias: testkit },
  test: {
    reporters: ["default", new RequirementsReporter(), ...summary],
    setupFiles: ["test/kit/property-seed.ts"],
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    // One more than there are cores: tests spend much of their time waiting for processes and timers.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
