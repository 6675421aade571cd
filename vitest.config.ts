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

/** A run has its own empty home. */
export const HOME = ["test/kit/empty-home.ts"];

/** How long `expect.poll` waits for what must happen: the limit is for a hang, not for a busy machine. */
export const polling = { poll: { interval: 20, timeout: 10_000 } };

/** `npm run test:nodes` reads the counts of a run from this file. */
const summaryFile = process.env["INDUS_TEST_SUMMARY"];
const summary: ["json", { outputFile: string }][] = summaryFile
  ? [["json", { outputFile: summaryFile }]]
  : [];

/** Files that measure or watch their own process: memory, processor time, handles, warnings, the clock. */
const ALONE = ["packages/*/test/**/*.alone.fault.test.ts"];

/** Files that count what a call allocates. On a busy machine more timers run for each call, so they run when all others have ended. */
const COUNTED = ["test/call-costs.test.ts"];

/** What all kinds of test files have in common. */
const shared = {
  ...source,
  resolve: { ...source.resolve, alias: testkit },
  test: {
    globalSetup: HOME,
    setupFiles: ["test/kit/property-seed.ts"],
    expect: polling,
    // Against a hang only: a test that takes 4 s alone was seen to take 20 s beside other work.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
};

export default defineConfig({
  test: {
    reporters: ["default", new RequirementsReporter(), ...summary],
    projects: [
      {
        ...shared,
        test: {
          ...shared.test,
          name: "shared",
          include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...ALONE, ...COUNTED],
          // The files of a worker share one process and load our modules once: that halves the work of a run. It is safe
          // because no test replaces a module, and our modules must bear being used by many callers in one process.
          isolate: false,
        },
      },
      { ...shared, test: { ...shared.test, name: "alone", include: ALONE } },
      { ...shared, test: { ...shared.test, name: "counted", include: COUNTED, sequence: { groupOrder: 1 } } },
    ],
    // More than there are cores: tests spend a third of their time waiting for processes and timers.
    maxWorkers: availableParallelism() + 2,
  },
});
