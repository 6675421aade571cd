import { cpSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";

const builtFrom = (await import(new URL("../scripts/bundle/built-from.mjs", import.meta.url).href)) as {
  inputDigest(folder?: string): string;
};
const root = fileURLToPath(new URL("..", import.meta.url));

verifies("command:start-build", "any change of an input is noticed, and nothing else", async () => {
  await using dir = await tempDir();
  for (const folder of [
    "packages/indusagi/src",
    "packages/induscode/src",
    "packages/induscode/page",
    "scripts",
  ])
    mkdirSync(dir.at(folder), { recursive: true });
  for (const file of [
    "packages/indusagi/package.json",
    "packages/induscode/package.json",
    "package-lock.json",
    "tsconfig.base.json",
    "scripts/bundle.mjs",
    "scripts/bundle",
  ])
    cpSync(join(root, file), dir.at(file), { recursive: true });
  const source = dir.at("packages/induscode/src/a.ts");
  const digests = [builtFrom.inputDigest(dir.path)];
  const change = (edit: () => void): void => {
    edit();
    digests.push(builtFrom.inputDigest(dir.path));
  };
  change(() => writeFileSync(source, "one"));
  change(() => writeFileSync(source, "three"));
  change(() => utimesSync(source, 1, 1));
  change(() => utimesSync(dir.at("package-lock.json"), 1, 1));
  change(() => utimesSync(dir.at("scripts/bundle/notices.mjs"), 1, 1));
  expect(new Set(digests).size).toBe(digests.length);
  writeFileSync(dir.at("README.md"), "not an input");
  expect(builtFrom.inputDigest(dir.path)).toBe(digests.at(-1));
});
