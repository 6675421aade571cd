import { readdir, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir, verifies } from "@indus/testkit";
import { tryFileLock, withFileLock } from "indusagi/core";
import { expect } from "vitest";

verifies("core:file-lock", "steps under one lock never overlap, and a failing step releases it", async () => {
  await using dir = await tempDir();
  const place = { folder: dir.path, name: "thing" };
  let inside = 0;
  let most = 0;
  const step = async (fails: boolean): Promise<void> => {
    inside += 1;
    most = Math.max(most, inside);
    await sleep(1);
    inside -= 1;
    if (fails) throw new Error("step failed");
  };
  const runs = Array.from({ length: 8 }, (_, index) =>
    withFileLock(place, { waitMs: 60_000 }, () => step(index % 2 === 0)),
  );
  const ends = await Promise.allSettled(runs);
  expect(ends.filter(({ status }) => status === "fulfilled").length).toBe(4);
  expect(most).toBe(1);
  expect(await readdir(dir.path)).toEqual([]);
});

verifies(
  "core:file-lock",
  "a held lock is refused with its holder; locks of other names are free",
  async () => {
    await using dir = await tempDir();
    const held = await tryFileLock({ folder: dir.path, name: "thing" });
    const [file = ""] = await readdir(dir.path);
    expect(await tryFileLock({ folder: dir.path, name: "thing" })).toEqual({
      reason: "held",
      pid: process.pid,
      path: dir.at(file),
    });
    await expect(
      withFileLock({ folder: dir.path, name: "thing" }, { waitMs: 20 }, () => 1),
    ).rejects.toMatchObject({
      kind: "locked",
    });
    expect(await withFileLock({ folder: dir.path, name: "thin" }, { waitMs: 0 }, () => 2)).toBe(2);
    if ("release" in held) await held.release();
    expect(await withFileLock({ folder: dir.path, name: "thing" }, { waitMs: 0 }, () => 3)).toBe(3);
  },
);

verifies(
  "core:file-lock",
  "the lock of a dead process is removed, also when its process id is in use again",
  async () => {
    await using dir = await tempDir();
    const held = await tryFileLock({ folder: dir.path, name: "thing" });
    const [file = ""] = await readdir(dir.path);
    if ("release" in held) await held.release();
    const [, place = ""] = /^thing\.([0-9a-f]+)-/.exec(file) ?? [];
    await writeFile(dir.at(`thing.${place}-${process.pid}-00000000x1.lock`), "");
    expect(await withFileLock({ folder: dir.path, name: "thing" }, { waitMs: 0 }, () => "free")).toBe("free");
    expect(await readdir(dir.path)).toEqual([]);
  },
  { only: ["linux"] },
);
