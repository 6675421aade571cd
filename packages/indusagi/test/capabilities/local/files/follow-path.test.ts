import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { localFs } from "indusagi/capabilities";
import { expect } from "vitest";
import { followPath } from "../../../../src/capabilities/local/files/follow-path.ts";
import { nodeDisk } from "../../../../src/capabilities/local/files/node-disk.ts";

const NAMES = ["a", "b", "file", "link", "up", "round", "dangling", "nowhere", "self"];
const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 5 });

verifies("fs:roots", "a path is followed as the system follows it, also part by part", async () => {
  await using dir = await tempDir();
  await mkdir(dir.at("a/b/a"), { recursive: true });
  await writeFile(dir.at("a/file"), "");
  await symlink("a/b", dir.at("link"));
  await symlink("../../link", dir.at("a/b/up"));
  await symlink(dir.path, dir.at("a/round"));
  await symlink("nowhere/b", dir.at("dangling"));
  await symlink("self", dir.at("self"));
  const walksOnly = { ...nodeDisk, realpath: () => Promise.reject(new Error("not available")) };
  await fc.assert(
    fc.asyncProperty(path, async (parts) => {
      const [way, walked] = [
        await followPath(nodeDisk, dir.at(...parts)),
        await followPath(walksOnly, dir.at(...parts)),
      ];
      expect(walked.realPath).toBe(way.realPath);
      const real = await realpath(dir.at(...parts)).catch(() => undefined);
      if (real !== undefined) expect(way).toEqual({ realPath: real });
    }),
    { numRuns: 200 },
  );
});

verifies("fs:roots", "where and why a path cannot be followed is returned", async () => {
  await using dir = await tempDir();
  await writeFile(dir.at("file"), "");
  await symlink("loop", dir.at("loop"));
  await symlink("missing/target", dir.at("dangling"));
  const way = (name: string): ReturnType<typeof followPath> => followPath(nodeDisk, dir.at(name));
  expect(await way("none/deeper/still")).toEqual({ realPath: dir.at("none/deeper/still") });
  expect(await way("dangling/more")).toEqual({ realPath: dir.at("missing/target/more") });
  const stops: [string, string][] = [
    ["file/below/it", "ENOTDIR"],
    ["loop/x", "ELOOP"],
    [`${"n".repeat(300)}/x`, "ENAMETOOLONG"],
  ];
  for (const [name, code] of stops) {
    expect(await way(name)).toMatchObject({ realPath: dir.at(name), stopped: { code } });
  }
});

verifies("fs:roots", "a very long missing path costs no more than its first missing part", async () => {
  await using dir = await tempDir();
  const deep = dir.at(...Array.from({ length: 5000 }, () => "d"));
  let looks = 0;
  const lstat = (path: string): ReturnType<typeof nodeDisk.lstat> => {
    looks++;
    return nodeDisk.lstat(path);
  };
  expect((await followPath({ ...nodeDisk, lstat }, deep)).realPath).toBe(deep);
  expect(looks).toBeLessThan(20);
});

verifies(
  "fs:roots",
  "a root that cannot be followed gives access to nothing, also not to the folders above it",
  async () => {
    await using dir = await tempDir();
    await writeFile(dir.at("secret"), "x");
    await writeFile(dir.at("file"), "x");
    const fs = localFs({ read: [dir.at("file/root")] });
    await expect(fs.readText(dir.at("secret"))).rejects.toMatchObject({ kind: "not_directory" });
    expect(await fs.exists(dir.at("secret"))).toBe(false);
  },
);

verifies("fs:spelling", "the folder of a missing path is spelled as the disk spells it", async () => {
  await using dir = await tempDir();
  await mkdir(dir.at("Folder"));
  const asked = dir.at("FOLDER~1");
  // As on Windows: a folder has other spellings, and only the whole path of something that exists is looked up.
  const shortNames = {
    ...nodeDisk,
    lstat: (path: string) => nodeDisk.lstat(path.replace("FOLDER~1", "Folder")),
    realpath: (path: string) => nodeDisk.realpath(path.replace("FOLDER~1", "Folder")),
  };
  expect(await followPath(shortNames, `${asked}/new/file`)).toEqual({ realPath: dir.at("Folder/new/file") });
  expect(await followPath(shortNames, asked)).toEqual({ realPath: dir.at("Folder") });
});
