import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

for (const name of ["packages/indusagi", "packages/induscode"]) {
  test(`${name}: a case with two sizes is in a file that the long run includes`, () => {
    const sized = readdirSync(join(root, name, "test"), { recursive: true, encoding: "utf8" }).filter(
      (file) =>
        file.endsWith(".test.ts") && readFileSync(join(root, name, "test", file), "utf8").includes("atSize("),
    );
    expect(sized.length).toBeGreaterThan(0);
    expect(sized.filter((file) => !file.endsWith(".fault.test.ts"))).toEqual([]);
  });
}
