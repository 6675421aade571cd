import { mkdirSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { completePath } from "../../../../src/front/repl/input/complete-path.ts";

verifies("repl:prompt", "the tab key completes the paths of files", async () => {
  await using dir = await tempDir();
  mkdirSync(dir.at("src", "inner"), { recursive: true });
  for (const name of ["a.ts", "ab.ts", ".hidden", "with space", "日本.md"]) writeFileSync(dir.at(name), "");
  writeFileSync(dir.at("src", "x.ts"), "");
  const complete = (typed: string): readonly string[] => completePath(typed, dir.at("."));
  expect(complete("")).toEqual(["a.ts", "ab.ts", "src/", "日本.md"]);
  expect(complete("a")).toEqual(["a.ts", "ab.ts"]);
  expect(complete(".")).toEqual([".hidden"]);
  expect(complete("src/")).toEqual(["src/inner/", "src/x.ts"]);
  expect(complete(`${dir.at("src")}/x`)).toEqual([`${dir.at("src")}/x.ts`]);
  expect(complete("nowhere/x")).toEqual([]);
});
