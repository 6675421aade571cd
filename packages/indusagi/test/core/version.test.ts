import { readFileSync } from "node:fs";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { PACKAGE_VERSION } from "../../src/core/internal.ts";

verifies("core:version", "the version in the source is the one in package.json", () => {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  expect(JSON.parse(manifest)).toMatchObject({ version: PACKAGE_VERSION });
});
