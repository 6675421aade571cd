import { readFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openLineWriter } from "../../../src/state/lines/index.ts";

verifies("audit:bounded", "a line is not written by its caller, but soon and at the end", async () => {
  await using dir = await tempDir();
  const path = dir.at("lines");
  const writer = openLineWriter({ maxBytes: 1e6, onFailure: () => {} });
  writer.append(path, "first\n");
  expect(() => readFileSync(path)).toThrow("ENOENT");
  writer.append(path, "second\n");
  await writer[Symbol.asyncDispose]();
  expect(readFileSync(path, "utf8")).toBe("first\nsecond\n");
  // Memory is limited: many lines are written at once.
  writer.append(path, `${"x".repeat(70_000)}\n`);
  expect(readFileSync(path, "utf8").length).toBeGreaterThan(70_000);
});
