import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A folder with more files has several phases, and they are its sub-folders. */
const MAX_FILES = 16;

/** The `.ts` files below a folder, relative to it, with `/` on every platform. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((entry) => entry.endsWith(".ts"))
    .map((entry) => relative("", entry).split(sep).join("/"));
}

/** `start-tree` for `start-tree.test.ts`, `end-tree.fault.test.ts` and the like. */
function subjectOf(testFile: string): string {
  return basename(testFile)
    .replace(/\.test\.ts$/, "")
    .replace(/\.[a-z]+$/, "");
}

for (const name of ["packages/indusagi", "packages/induscode"]) {
  const sources = filesBelow(`${name}/src`);
  const tests = filesBelow(`${name}/test`).filter((file) => file.endsWith(".test.ts"));

  test(`${name}: no folder holds more than ${MAX_FILES} files`, () => {
    const counts = new Map<string, number>();
    for (const file of sources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    expect(counts.size).toBeGreaterThan(0);
    expect([...counts].filter(([, count]) => count > MAX_FILES)).toEqual([]);
  });

  test(`${name}: every test is in a folder that exists in src`, () => {
    const folders = new Set(sources.flatMap((file) => ancestors(dirname(file))));
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((file) => !folders.has(dirname(file)))).toEqual([]);
  });

  test(`${name}: a case with two sizes is in a file that the long run includes`, () => {
    const hasSizes = (file: string): boolean =>
      readFileSync(join(root, name, "test", file), "utf8").includes("atSize(");
    const sized = tests.filter(hasSizes);
    expect(sized.length).toBeGreaterThan(0);
    expect(sized.filter((file) => !file.endsWith(".fault.test.ts"))).toEqual([]);
  });

  test(`${name}: a test named after a source file is in the same folder`, () => {
    const misplaced = tests.filter((file) => {
      const namesakes = sources.filter((source) => basename(source, ".ts") === subjectOf(file));
      return namesakes.length > 0 && !namesakes.some((source) => dirname(source) === dirname(file));
    });
    expect(misplaced).toEqual([]);
  });
}

function ancestors(folder: string): string[] {
  return folder === "." ? ["."] : [folder, ...ancestors(dirname(folder))];
}
