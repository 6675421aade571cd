import { readdir, writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { localFs } from "indusagi/capabilities";
import { createUlidMinter, systemClock, tempName } from "indusagi/core";
import { expect } from "vitest";
import { isLeftover } from "../../../src/core/files/temp-files.ts";

const ulidAt = (ms: number): string => createUlidMinter({ clock: { ...systemClock, nowMs: () => ms } })();
/** Greater than any pid. */
const NO_PROCESS = 2 ** 30;

verifies("fs:sweep", "only old temporary files whose maker has ended are leftovers", () => {
  const now = Date.now();
  const options = { olderThanMs: 60_000, nowMs: now };
  const beforeUs = Math.floor(now - process.uptime() * 1000) - 61_000;
  const cases: [string, boolean][] = [
    [tempName(NO_PROCESS, ulidAt(now - 61_000)), true],
    [tempName(NO_PROCESS, ulidAt(now - 59_000)), false],
    [tempName(process.ppid, ulidAt(now - 61_000)), false],
    [tempName(process.ppid, ulidAt(now - 2 * 60 * 60_000)), true],
    [tempName(process.pid, ulidAt(beforeUs)), true],
    [tempName(process.pid, ulidAt(now)), false],
    [`.indus-${NO_PROCESS}-${ulidAt(0)}.tmp.bak`, false],
    [`.indus-x-${ulidAt(0)}.tmp`, false],
    [`.indus-${NO_PROCESS}-${"Z".repeat(26)}.tmp`, false],
  ];
  for (const [name, expected] of cases) expect(isLeftover(name, options), name).toBe(expected);
});

verifies("fs:sweep", "no other name and no new temporary file is a leftover", () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), fc.nat({ max: 2 ** 40 }), (name, pid, madeMs) => {
      if (!name.startsWith(".indus-"))
        expect(isLeftover(name, { olderThanMs: 0, nowMs: Number.MAX_SAFE_INTEGER })).toBe(false);
      expect(isLeftover(tempName(pid, ulidAt(madeMs)), { olderThanMs: 60_000, nowMs: madeMs + 60_000 })).toBe(
        false,
      );
    }),
  );
});

verifies("fs:sweep", "the first write in a folder removes leftovers there, and nothing else", async () => {
  await using dir = await tempDir();
  const leftover = tempName(NO_PROCESS, ulidAt(Date.now() - 120_000));
  const young = tempName(NO_PROCESS, ulidAt(Date.now()));
  for (const name of [leftover, young, ".indus-notes", ".env"]) await writeFile(dir.at(name), "x");
  await localFs().writeFile(dir.at("f"), "x");
  expect((await readdir(dir.path)).sort()).toEqual([".env", ".indus-notes", young, "f"].sort());
  await localFs({ sweepAfterMs: -1 }).writeFile(dir.at("f"), "x");
  expect((await readdir(dir.path)).sort()).toEqual([".env", ".indus-notes", "f"]);
});
