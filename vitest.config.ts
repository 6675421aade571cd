import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Resolve our own packages from source, so that no test needs a build. */
export const source = {
  resolve: { conditions: ["@indus/source"] },
  ssr: { resolve: { conditions: ["@indus/source"] } },
};

export const testkit = { "@indus/testkit": fileURLToPath(new URL("test/kit/index.ts", import.meta.url)) };

export default defineConfig({
  ...source,
  resolve: { ...source.resolve, alias: testkit },
  test: {
    setupFiles: ["test/kit/property-seed.ts"],
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    // One more than there are cores: much of a test's time is waiting for processes and timers.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
