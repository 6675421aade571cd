import { mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { holdFolder } from "indusagi/capabilities";
import { expect } from "vitest";

verifies(
  "files:held-folder",
  "a folder outside the roots is refused, also behind a link",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("root"));
    await mkdir(dir.at("rootless"));
    await symlink(dir.at("rootless"), dir.at("root", "link"));
    for (const path of [dir.at("rootless"), dir.at("root", "link"), dir.at("root", "..")])
      await expect(holdFolder(path, [dir.at("root")]), path).rejects.toMatchObject({ kind: "outside" });
    const missing = holdFolder(dir.at("root", "missing"), [dir.at("root")]);
    await expect(missing).rejects.toMatchObject({ kind: "not_found" });
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "files:held-folder",
  "the names of a held folder stay those of the folder, whatever its path becomes",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("one"));
    await mkdir(dir.at("two"));
    await writeFile(dir.at("one", "a"), "one");
    await writeFile(dir.at("two", "a"), "two");
    const held = await holdFolder(dir.at("one"), [dir.path]);
    expect(held.realPath).toBe(dir.at("one"));
    expect(await held.look("a")).toMatchObject({ isFile: true, size: 3 });
    expect(await held.look("b")).toBeUndefined();
    await rename(dir.at("one"), dir.at("moved"));
    await symlink(dir.at("two"), dir.at("one"));
    expect(await readFile(held.child("a"), "utf8")).toBe("one");
    await held.close();
  },
  { only: ["linux"] },
);
