import { readdirSync, readFileSync, statSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { keepBackup } from "../../src/state/index.ts";

verifies("state:backups", "a copy is private, and the twenty newest of each file are kept", async () => {
  await using dir = await tempDir();
  const first = keepBackup(dir.path, "/home/me/mcp.json", "old");
  expect(readFileSync(first, "utf8")).toBe("old");
  expect(first.endsWith("-mcp.json")).toBe(true);
  if (process.platform !== "win32") {
    expect(statSync(first).mode & 0o777).toBe(0o600);
    expect(statSync(dir.at("backups")).mode & 0o777).toBe(0o700);
  }
  const other = keepBackup(dir.path, "/home/me/other/mcp.json", "other");
  const copies = Array.from({ length: 21 }, (_, index) =>
    keepBackup(dir.path, "/home/me/mcp.json", `${index}`),
  );
  const left = readdirSync(dir.at("backups")).map((name) => dir.at("backups", name));
  expect(left.toSorted()).toEqual([other, ...copies.slice(1)].toSorted());
});
