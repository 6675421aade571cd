import { chmod, lstat, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { type Disk, type FsEntryInfo, localFs, unavailableFs } from "indusagi/capabilities";
import { describe, expect } from "vitest";
import { nodeDisk } from "../../../../src/capabilities/local/files/node-disk.ts";
import { isLocalFs } from "../../../../src/capabilities/local/index.ts";

/** A disk without paths of open descriptors, as on some systems. */
const { fdPath: _, ...namesOnly } = nodeDisk;

const DISKS: readonly [string, Disk][] = [
  ["holding what is used", nodeDisk],
  ["by names alone", namesOnly],
];

describe.each(DISKS)("%s", (_name, base) => {
  const fs = localFs({ disk: base });

  verifies("fs:reading", "whole files, pieces and their stats", async () => {
    await using dir = await tempDir();
    await writeFile(dir.at("f"), "grüße\xff");
    await symlink("f", dir.at("link"));
    expect(await fs.readText(dir.at("f"))).toBe("grüße\xff");
    expect(Buffer.from(await fs.readBytes(dir.at("link"))).toString()).toBe("grüße\xff");
    const file = await fs.open(dir.at("link"));
    expect(file).toMatchObject({
      path: dir.at("f"),
      info: { isFile: true, isSymlink: false, size: 9, links: 1 },
    });
    expect(Buffer.from(await file.read(2, 3)).toString("latin1")).toBe("\xc3\xbc\xc3");
    expect(await file.read(7, 100)).toHaveLength(2);
    expect(await file.read(100, 5)).toHaveLength(0);
    await file.close();
    await file.close();
  });

  verifies("fs:reading", "a piece is read into the given buffer if it has room for the piece", async () => {
    await using dir = await tempDir();
    await writeFile(dir.at("f"), "0123456789");
    const file = await fs.open(dir.at("f"));
    for (const [room, isUsed] of [
      [3, false],
      [4, true],
      [9, true],
    ] as const) {
      const into = new Uint8Array(room);
      const piece = await file.read(2, 4, into);
      expect(Buffer.from(piece).toString()).toBe("2345");
      expect(piece.buffer === into.buffer).toBe(isUsed);
    }
    expect(Buffer.from(await file.read(8, 4, new Uint8Array(4))).toString()).toBe("89");
    await file.close();
  });

  verifies("fs:reading", "an open file stays the same file when its name is reused", async () => {
    await using dir = await tempDir();
    await writeFile(dir.at("f"), "first");
    const file = await fs.open(dir.at("f"));
    await fs.writeFile(dir.at("f"), "second");
    expect(Buffer.from(await file.read(0, 10)).toString()).toBe("first");
    await file.close();
  });

  verifies(
    "fs:reading",
    "a file that is replaced while it is opened keeps its name, without the mark of a deleted file",
    async () => {
      await using dir = await tempDir();
      const disk = {
        ...base,
        readlink: async (path: string) => {
          await writeFile(dir.at("next"), "second");
          await rename(dir.at("next"), dir.at("f"));
          return nodeDisk.readlink(path);
        },
      };
      await writeFile(dir.at("f"), "first");
      const file = await localFs({ disk, read: [dir.path] }).open(dir.at("f"));
      expect(file.path).toBe(dir.at("f"));
      expect(Buffer.from(await file.read(0, 10)).toString()).toBe("first");
      await file.close();
    },
  );

  verifies("fs:entries", "names, kinds and links are reported correctly", async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("folder"));
    await writeFile(dir.at("file"), "x");
    await symlink("file", dir.at("link"));
    await symlink("nowhere", dir.at("broken"));
    const entries = [...(await fs.readDir(dir.path))].sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(entries).toEqual([
      { name: "broken", kind: "symlink" },
      { name: "file", kind: "file" },
      { name: "folder", kind: "directory" },
      { name: "link", kind: "symlink" },
    ]);
    expect(await fs.readLink(dir.at("broken"))).toBe("nowhere");
    expect(await fs.stat(dir.at("link"), { followLinks: false })).toMatchObject({
      isSymlink: true,
      isFile: false,
    });
    expect(await fs.stat(dir.at("link"))).toMatchObject({ isSymlink: false, isFile: true, size: 1 });
    expect((await fs.stat(dir.at("link"))).identity).toBe((await fs.stat(dir.at("file"))).identity);
    expect([await fs.exists(dir.at("file")), await fs.exists(dir.at("broken"))]).toEqual([true, false]);
    expect(await fs.resolve(dir.at("link"))).toBe(dir.at("file"));
    expect(await fs.resolve(dir.at("broken"))).toBe(dir.at("nowhere"));
    expect(await fs.resolve(dir.at("folder/../new/deep"))).toBe(dir.at("new/deep"));
  });

  verifies("fs:errors", "every refusal has its kind and names the path that was asked for", async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("folder/sub"), { recursive: true });
    await writeFile(dir.at("file"), "x");
    const cases: [() => Promise<unknown>, string, string][] = [
      [() => fs.readText(dir.at("none")), "not_found", "none"],
      [() => fs.open(dir.at("none/deeper")), "not_found", "none/deeper"],
      [() => fs.readText(dir.at("folder")), "is_directory", "folder"],
      [() => fs.readText(dir.at("file/x")), "not_directory", "file/x"],
      [() => fs.readDir(dir.at("file")), "not_directory", "file"],
      [() => fs.readDir(dir.at("none")), "not_found", "none"],
      [() => fs.readLink(dir.at("file")), "invalid_path", "file"],
      [() => fs.readLink(dir.at("none/link")), "not_found", "none/link"],
      [() => fs.writeFile(dir.at("folder"), ""), "is_directory", "folder"],
      [() => fs.writeFile(dir.at("none/f"), ""), "not_found", "none/f"],
      [() => fs.writeFile(dir.at("file"), "", { onlyNew: true }), "exists", "file"],
      [() => fs.mkdir(dir.at("folder")), "exists", "folder"],
      [() => fs.mkdir(dir.at("none/deeper")), "not_found", "none/deeper"],
      [() => fs.mkdir(dir.at("file/x"), { recursive: true }), "not_directory", "file/x"],
      [() => fs.rm(dir.at("none")), "not_found", "none"],
      [() => fs.rm(dir.at("folder")), "is_directory", "folder"],
      [() => fs.stat(dir.at("none")), "not_found", "none"],
    ];
    for (const [refused, kind, name] of cases) {
      const path = dir.at(name);
      await expect(refused()).rejects.toMatchObject({
        name: "FsError",
        kind,
        path,
        message: expect.stringContaining(path) as string,
      });
    }
  });

  verifies("fs:errors", "a context without a file system refuses every operation", async () => {
    for (const use of [unavailableFs.readText, unavailableFs.stat, unavailableFs.readDir]) {
      await expect(use("/x")).rejects.toMatchObject({ kind: "unavailable", path: "/x" });
    }
    expect(await unavailableFs.exists("/x")).toBe(false);
    expect([isLocalFs(fs), isLocalFs(unavailableFs)]).toEqual([true, false]);
  });

  verifies(
    "fs:atomic-replace",
    "a file is replaced by a new one, so that a reader sees the old or the new content",
    async () => {
      await using dir = await tempDir();
      await fs.writeFile(dir.at("f"), "first");
      const before = await fs.open(dir.at("f"));
      const reading = { isOn: true };
      const reader = (async () => {
        const seen = new Set<string>();
        while (reading.isOn) seen.add(await readFile(dir.at("f"), "utf8"));
        return seen;
      })();
      for (let round = 0; round < 20; round++)
        await fs.writeFile(dir.at("f"), (round % 2 === 0 ? "A" : "B").repeat(100_000));
      reading.isOn = false;
      for (const content of await reader) expect(content).toMatch(/^(first|A{100000}|B{100000})$/);
      expect((await fs.stat(dir.at("f"))).identity).not.toBe(before.info.identity);
      await before.close();
      expect(await readdir(dir.path)).toEqual(["f"]);
    },
  );

  verifies(
    "fs:atomic-replace",
    "a new file gets the requested mode, an existing one keeps its mode",
    async () => {
      await using dir = await tempDir();
      await fs.writeFile(dir.at("f"), "x", { mode: 0o640 });
      expect((await stat(dir.at("f"))).mode & 0o777).toBe(0o640);
      await fs.writeFile(dir.at("f"), "y", { mode: 0o777 });
      expect((await stat(dir.at("f"))).mode & 0o777).toBe(0o640);
    },
  );

  verifies(
    "fs:only-if",
    "a write that expects a certain version refuses any other and a missing file",
    async () => {
      await using dir = await tempDir();
      await writeFile(dir.at("f"), "one");
      const info: FsEntryInfo = await fs.stat(dir.at("f"));
      await fs.writeFile(dir.at("f"), "two", { onlyIf: info });
      await expect(fs.writeFile(dir.at("f"), "three", { onlyIf: info })).rejects.toMatchObject({
        kind: "changed",
      });
      await expect(fs.writeFile(dir.at("none"), "x", { onlyIf: info })).rejects.toMatchObject({
        kind: "changed",
      });
      expect(await readFile(dir.at("f"), "utf8")).toBe("two");
      expect(await readdir(dir.path)).toEqual(["f"]);
    },
  );

  verifies("fs:folders", "missing parents are created, existing ones kept, links followed", async () => {
    await using dir = await tempDir();
    await fs.mkdir(dir.at("a/b/c"), { recursive: true });
    await fs.mkdir(dir.at("a/b/c"), { recursive: true });
    await symlink("a", dir.at("link"));
    await fs.mkdir(dir.at("link/d"), { recursive: true });
    await fs.mkdir(dir.at("plain"));
    for (const name of ["a/b/c", "a/d", "plain"])
      expect((await lstat(dir.at(name))).isDirectory()).toBe(true);
  });

  verifies("fs:folders", "concurrent calls may create the same folders", async () => {
    await using dir = await tempDir();
    await Promise.all(Array.from({ length: 20 }, () => fs.mkdir(dir.at("a/b/c/d"), { recursive: true })));
    expect((await stat(dir.at("a/b/c/d"))).isDirectory()).toBe(true);
  });

  verifies("fs:remove", "a tree is removed without following links", async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("keep"));
    await writeFile(dir.at("keep", "precious"), "x");
    await mkdir(dir.at("tree/deep/er"), { recursive: true });
    await writeFile(dir.at("tree/deep/f"), "x");
    await symlink("../keep", dir.at("tree/link"));
    await symlink("../../keep", dir.at("tree/deep/link"));
    await chmod(dir.at("tree/deep/f"), 0o000);
    await fs.rm(dir.at("tree"), { recursive: true });
    expect(await readdir(dir.path, { recursive: true })).toEqual(["keep", "keep/precious"]);
    await symlink("keep", dir.at("link"));
    await fs.rm(dir.at("link"), { recursive: true });
    expect(await readdir(dir.path)).toEqual(["keep"]);
    await fs.rm(dir.at("none"), { ignoreMissing: true });
    await fs.rm(dir.at("none/deeper"), { ignoreMissing: true, recursive: true });
    await writeFile(dir.at("f"), "");
    await fs.rm(dir.at("f"));
    await expect(lstat(dir.at("f"))).rejects.toThrow();
  });
});

verifies(
  "fs:remove",
  "a folder that is replaced by a link during removal is not followed",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("keep"));
    await writeFile(dir.at("keep", "precious"), "x");
    await mkdir(dir.at("tree/sub"), { recursive: true });
    const disk = {
      ...nodeDisk,
      lstat: async (path: string) => {
        const stats = await nodeDisk.lstat(path);
        if (path.endsWith("/sub")) {
          await rename(dir.at("tree/sub"), dir.at("moved"));
          await symlink("../keep", dir.at("tree/sub"));
        }
        return stats;
      },
    };
    await expect(localFs({ disk }).rm(dir.at("tree"), { recursive: true })).rejects.toMatchObject({
      kind: "not_directory",
    });
    expect(await readdir(dir.at("keep"))).toEqual(["precious"]);
  },
  { only: ["linux"] },
);
