import type { Stats } from "node:fs";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import type { FileDiskHandle } from "../../../src/core/files/disk.ts";
import { keepOwnerAndMode, rightsLeft } from "../../../src/core/files/replace-file.ts";
import { runAsync } from "../../../src/core/files/steps.ts";

const mode = fc.integer({ min: 0, max: 0o7777 });

verifies("write:keeps-mode", "rights are never added, and none is lost when owner and group are kept", () => {
  fc.assert(
    fc.property(mode, fc.boolean(), fc.boolean(), (old, user, group) => {
      const left = rightsLeft(old, { user, group });
      if (user && group) expect(left).toBe(old);
      if (!user) expect(left & 0o4000).toBe(0);
      if (!group) expect(left & 0o2000).toBe(0);
      expect(left & 0o777 & 0o707).toBe(old & 0o707);
      // Members of the new group had the rights of others on the old file, and keep them.
      expect((left >> 3) & 7).toBe(group ? (old >> 3) & 7 : old & 7);
    }),
  );
});

interface Owner {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/** A file with an owner; `mayChown` decides which owners can be set. */
function fileOf(
  fresh: Owner,
  mayChown: (uid: number, gid: number) => boolean,
): FileDiskHandle & { now: Owner } {
  const file = {
    now: fresh,
    stat: async () => file.now as Stats,
    chmod: async (mode: number) => void (file.now = { ...file.now, mode }),
    chown: async (uid: number, gid: number) => {
      if (!mayChown(uid, gid)) throw Object.assign(new Error("no"), { code: "EPERM" });
      file.now = { uid, gid, mode: file.now.mode & 0o777 };
    },
  };
  return file as unknown as FileDiskHandle & { now: Owner };
}

verifies("write:keeps-mode", "the group is kept where only the owner cannot be", async () => {
  const old = { uid: 1, gid: 5, mode: 0o106775 } as Stats;
  const fresh = { uid: 2, gid: 2, mode: 0o600 };
  const cases: [(uid: number, gid: number) => boolean, Owner][] = [
    [() => true, { uid: 1, gid: 5, mode: 0o6775 }],
    [(uid) => uid === 2, { uid: 2, gid: 5, mode: 0o2775 }],
    [() => false, { uid: 2, gid: 2, mode: 0o755 }],
  ];
  for (const [mayChown, expected] of cases) {
    const file = fileOf(fresh, mayChown);
    await runAsync(keepOwnerAndMode(file, old));
    expect(file.now).toEqual(expected);
  }
});

verifies(
  "write:keeps-mode",
  "a mode that is already right is not set again: some file systems have no modes",
  async () => {
    const file = fileOf({ uid: 1, gid: 1, mode: 0o755 }, () => false);
    file.chmod = () => Promise.reject(Object.assign(new Error("no modes here"), { code: "EPERM" }));
    await runAsync(keepOwnerAndMode(file, { uid: 1, gid: 1, mode: 0o100755 } as Stats));
    expect(file.now.mode).toBe(0o755);
  },
);
