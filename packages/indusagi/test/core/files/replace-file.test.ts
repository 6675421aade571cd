import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir, verifies, wrapDisk } from "@indus/testkit";
import fc from "fast-check";
import { createUlidMinter, type FileDisk, systemClock } from "indusagi/core";
import { expect } from "vitest";
import { type FileFolder, syncDisk } from "../../../src/core/files/disk.ts";
import { asyncDisk, replaceFile, replaceFileAsync, replaceFileSync } from "../../../src/core/files/index.ts";
import { runAsync, runSync, type Steps, stepResult } from "../../../src/core/files/steps.ts";

verifies(
  "files:replace",
  "the synchronous and the asynchronous door make the same calls and the same file",
  async () => {
    await using dir = await tempDir();
    const asyncCalls: string[] = [];
    const syncCalls: string[] = [];
    for (const existing of [false, true]) {
      for (const name of ["sync", "async"]) {
        if (existing) chmodSync(dir.at(name), 0o640);
        const stats = existing ? statSync(dir.at(name)) : undefined;
        const replacement = {
          folder: folderAt(dir.path),
          name,
          content: Buffer.from("text"),
          existing: stats,
          mode: 0o600,
        };
        await replaceFile(
          name === "sync" ? noted(syncDisk, syncCalls) : noted(asyncDisk, asyncCalls),
          replacement,
        );
        expect(readFileSync(dir.at(name), "utf8")).toBe("text");
        if (process.platform !== "win32")
          expect(statSync(dir.at(name)).mode & 0o777).toBe(existing ? 0o640 : 0o600);
      }
    }
    expect(syncCalls).toEqual(asyncCalls);
    expect(syncCalls).toContain("rename");
    expect(readdirSync(dir.path).toSorted()).toEqual(["async", "sync"]);
  },
);

verifies(
  "files:replace",
  "whichever synchronous call fails, the old file is whole and nothing is left",
  async () => {
    await using dir = await tempDir();
    const path = dir.at("f");
    let failures = 0;
    for (let failing = 0; ; failing += 1) {
      writeFileSync(path, "old");
      let calls = 0;
      const disk = wrapDisk(syncDisk, ({ operation, run }) => {
        const isFailing = calls++ === failing; // The clean-up after a failure works.
        // A failed close has closed the file all the same.
        const result = isFailing && operation !== "file.close" ? undefined : run();
        if (isFailing) throw Object.assign(new Error(`${operation} fails`), { code: "EIO" });
        return result;
      });
      const replacement = {
        folder: folderAt(dir.path),
        name: "f",
        content: Buffer.from("new"),
        existing: statSync(path),
      };
      const failed = await replaceFile(disk, replacement).then(
        () => false,
        () => true,
      );
      expect(readFileSync(path, "utf8")).toBe(failed ? "old" : "new");
      expect(readdirSync(dir.path)).toEqual(["f"]);
      failures += Number(failed);
      if (failing >= calls) break;
    }
    // open, write, stat, sync, close, rename at least; flushing the folder may fail.
    expect(failures).toBeGreaterThanOrEqual(5);
  },
);

verifies(
  "files:sweep-sync",
  "both doors that take a path remove leftovers of dead writers and nothing else",
  async () => {
    await using dir = await tempDir();
    const old = createUlidMinter({ clock: { ...systemClock, nowMs: () => Date.now() - 61_000 } })();
    const kept = [`.indus-${process.ppid}-${old}.tmp`, "other.tmp", `.indus-x-${old}.tmp`];
    for (const replace of [replaceFileSync, replaceFileAsync]) {
      for (const name of [...kept, `.indus-${2 ** 30}-${old}.tmp`]) writeFileSync(dir.at(name), "");
      await replace({ path: dir.at("f"), content: Buffer.from(replace.name), mode: 0o600 });
      expect(readdirSync(dir.path).toSorted()).toEqual([...kept, "f"].toSorted());
      expect(readFileSync(dir.at("f"), "utf8")).toBe(replace.name);
    }
  },
);

if (process.getuid?.() === 0) {
  verifies(
    "files:replace",
    "root keeps owner, group and set-id bits through the synchronous door",
    async () => {
      await using dir = await tempDir();
      writeFileSync(dir.at("f"), "old");
      chownSync(dir.at("f"), 1234, 5678);
      chmodSync(dir.at("f"), 0o6755);
      replaceFileSync({ path: dir.at("f"), content: Buffer.from("new"), existing: statSync(dir.at("f")) });
      expect(statSync(dir.at("f"))).toMatchObject({ uid: 1234, gid: 5678, mode: 0o106755 });
    },
  );
}

verifies(
  "files:replace",
  "steps give the same value, or the same error, whether run at once or with promises",
  async () => {
    function* sum(parts: readonly number[], isLater: boolean): Steps<number> {
      let total = 0;
      for (const part of parts) {
        try {
          total += yield* stepResult(isLater ? later(part) : now(part));
        } catch {
          total -= 1;
        }
      }
      if (total > 50) throw new Error(String(total));
      return total;
    }
    const now = (part: number): number => {
      if (part === 0) throw new Error("zero");
      return part;
    };
    const later = async (part: number): Promise<number> => now(part);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 20 })), async (parts) => {
        const atOnce = outcomeOf(() => runSync(sum(parts, false)));
        const withPromises = await runAsync(sum(parts, true)).then(
          (value) => value,
          (thrown: unknown) => String(thrown),
        );
        expect(withPromises).toBe(atOnce);
      }),
    );
  },
);

function outcomeOf(run: () => number): number | string {
  try {
    return run();
  } catch (thrown) {
    return String(thrown);
  }
}

const folderAt = (path: string): FileFolder => ({ self: path, child: (name) => join(path, name) });

/** A disk that notes each call. */
const noted = (disk: FileDisk, calls: string[]): FileDisk =>
  wrapDisk(disk, ({ operation, run }) => {
    calls.push(operation);
    return run();
  });

/** A disk as on Windows: a file that a program has open cannot be replaced for some tries. */
function busyDisk(disk: FileDisk, { code, tries }: { code: string; tries: number }) {
  const pauses: number[] = [];
  const busy: FileDisk = {
    ...disk,
    rename: (from, to) => {
      if (pauses.length < tries) throw Object.assign(new Error("rename fails"), { code });
      return disk.rename(from, to);
    },
    pause: (ms) => void pauses.push(ms),
  };
  return { busy, pauses };
}

verifies(
  "fs:open-elsewhere",
  "a rename over an open file is tried again, with pauses that double",
  async () => {
    await using dir = await tempDir();
    for (const disk of [asyncDisk, syncDisk])
      for (const code of ["EPERM", "EACCES", "EBUSY"]) {
        writeFileSync(dir.at("f"), "old");
        const { busy, pauses } = busyDisk(disk, { code, tries: 3 });
        await replaceFile(busy, { folder: folderAt(dir.path), name: "f", content: Buffer.from("new") });
        expect(readFileSync(dir.at("f"), "utf8")).toBe("new");
        expect(pauses).toEqual([5, 10, 20]);
      }
  },
);

verifies(
  "fs:open-elsewhere",
  "one that stays open is named; the old file is whole and nothing is left",
  async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at("f"), "old");
    const { busy, pauses } = busyDisk(asyncDisk, { code: "EPERM", tries: Number.POSITIVE_INFINITY });
    const replacement = { folder: folderAt(dir.path), name: "f", content: Buffer.from("new") };
    await expect(replaceFile(busy, replacement)).rejects.toMatchObject({
      code: "EBUSY",
      message: "in use by another program",
    });
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 640]);
    expect(readFileSync(dir.at("f"), "utf8")).toBe("old");
    expect(readdirSync(dir.path)).toEqual(["f"]);
    // Other failures, and those of other systems, are final.
    const { busy: full, pauses: none } = busyDisk(asyncDisk, { code: "ENOSPC", tries: 1 });
    await expect(replaceFile(full, replacement)).rejects.toMatchObject({ code: "ENOSPC" });
    await expect(
      replaceFile({ ...busy, pause: undefined } as unknown as FileDisk, replacement),
    ).rejects.toMatchObject({
      code: "EPERM",
    });
    expect(none).toEqual([]);
  },
);
