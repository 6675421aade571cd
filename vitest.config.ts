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
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
