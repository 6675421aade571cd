import { mkdir, symlink, writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { localFs } from "indusagi/capabilities";
import { expect } from "vitest";
import { nodeDisk } from "../../../src/capabilities/local/files/node-disk.ts";
import { session } from "../session.ts";

verifies("ls:listing", "folders come first, then names ignoring case, in columns under a count", async () => {
  await using at = await session();
  for (const folder of ["zoo", "Apples"]) await mkdir(at.dir.at(folder));
  await writeFile(at.dir.at("b.txt"), "12345");
  await writeFile(at.dir.at("A.txt"), "x".repeat(1500));
  await writeFile(at.dir.at("a.txt"), "");
  expect(await at.text("ls", {})).toBe(
    [
      ".: 5 entries",
      "dir         -  Apples/",
      "dir         -  zoo/",
      "file   1.5 KB  A.txt",
      "file  0 bytes  a.txt",
      "file  5 bytes  b.txt",
    ].join("\n"),
  );
});

verifies("ls:listing", "an empty folder has no entries, one with a single file has one", async () => {
  await using at = await session();
  await mkdir(at.dir.at("empty"));
  await mkdir(at.dir.at("one"));
  await writeFile(at.dir.at("one", "a"), "x");
  expect(await at.text("ls", { path: "empty" })).toBe("empty: 0 entries");
  expect(await at.text("ls", { path: "one" })).toBe("one: 1 entry\nfile  1 byte  a");
});

verifies("ls:hidden", "hidden names are counted, and shown on request", async () => {
  await using at = await session();
  await writeFile(at.dir.at(".env"), "x");
  await writeFile(at.dir.at("a"), "x");
  expect(await at.text("ls", {})).toBe(".: 1 entry (1 hidden; see them with showHidden)\nfile  1 byte  a");
  for (const showHidden of [true, "true", " TRUE "]) {
    expect(await at.text("ls", { showHidden })).toBe(".: 2 entries\nfile  1 byte  .env\nfile  1 byte  a");
  }
});

verifies("ls:links", "links show their target, and whether it exists", async () => {
  await using elsewhere = await tempDir();
  await using at = await session();
  await writeFile(at.dir.at("a"), "x");
  await symlink("a", at.dir.at("good"));
  await symlink("nowhere", at.dir.at("broken"));
  await symlink("loop", at.dir.at("loop"));
  await symlink(elsewhere.path, at.dir.at("out"));
  const answer = await at.text("ls", {});
  expect(answer).toContain("link       -  good -> a\n");
  expect(answer).toContain("broken -> nowhere (cannot be followed)");
  expect(answer).toContain("loop -> loop (cannot be followed)");
  expect(answer).toContain(`out -> ${elsewhere.path} (cannot be followed)`);
});

verifies(
  "ls:unreadable",
  "an entry that cannot be inspected is shown without its size and hides no other",
  async () => {
    const lstat = async (path: string): ReturnType<typeof nodeDisk.lstat> => {
      if (path.endsWith("secret")) throw Object.assign(new Error("no"), { code: "EACCES" });
      return nodeDisk.lstat(path);
    };
    await using at = await session({ fs: localFs({ disk: { ...nodeDisk, lstat } }) });
    await writeFile(at.dir.at("secret"), "x");
    await writeFile(at.dir.at("plain"), "x");
    expect(await at.text("ls", {})).toBe(".: 2 entries\nfile  1 byte  plain\nfile       ?  secret");
  },
);

verifies("ls:names-escaped", "invisible and control characters in names are escaped", async () => {
  await using at = await session();
  await writeFile(at.dir.at("a\nfile  9 bytes  fake"), "");
  await writeFile(at.dir.at("\x1b[31mred"), "");
  await writeFile(at.dir.at("exe.\u202egpj"), "");
  await symlink("to\x07bell", at.dir.at("link"));
  const answer = await at.text("ls", {});
  expect(answer.split("\n")).toHaveLength(5);
  expect(answer).toContain("a\\x0afile  9 bytes  fake");
  expect(answer).toContain("\\x1b[31mred");
  expect(answer).toContain("exe.\\u{202e}gpj");
  expect(answer).toContain("link -> to\\x07bell");
});

verifies(
  "ls:not-a-folder",
  "for a file, read is suggested; for a missing folder, similar names",
  async () => {
    await using at = await session();
    await writeFile(at.dir.at("a.txt"), "x");
    await mkdir(at.dir.at("sources"));
    expect(await at.fails("ls", { path: "a.txt/x" })).toMatch(/^ls: a part of the path is not a directory: /);
    expect(await at.fails("ls", { path: "a.txt" })).toBe("ls: a.txt is not a folder; use read to see a file");
    expect(await at.fails("ls", { path: "source" })).toBe("ls: there is no source; did you mean sources?");
    expect(await at.fails("ls", { path: "/" })).toMatch(/^ls: outside the folders that may be read/);
    expect(await at.fails("ls", { path: 5 })).toBe('ls: "path" must be a string, got 5');
    expect(await at.fails("ls", { showHidden: "perhaps" })).toBe(
      'ls: "showHidden" must be true or false, got "perhaps"',
    );
  },
);

verifies("ls:cap", "the first thousand entries are shown, and the rest is counted", async () => {
  await using at = await session();
  const names = Array.from({ length: 1203 }, (_, index) => `f${String(index).padStart(4, "0")}`);
  await Promise.all(names.map((name) => writeFile(at.dir.at(name), "")));
  const lines = (await at.text("ls", {})).split("\n");
  expect(lines[0]).toBe(".: 1203 entries (only the first 1000 shown)");
  expect(lines).toHaveLength(1001);
  expect(lines.at(-1)).toBe("file  0 bytes  f0999");
});
