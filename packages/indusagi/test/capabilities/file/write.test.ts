import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { isRoot, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { session } from "../session.ts";

verifies("write:new", "a file is created with its folders, and its size in UTF-8 is reported", async () => {
  await using at = await session();
  expect(await at.text("write", { path: "a/b/c.txt", content: "grüß\n" })).toBe(
    "wrote a/b/c.txt: 7 bytes (new file)",
  );
  expect(await readFile(at.dir.at("a/b/c.txt"), "utf8")).toBe("grüß\n");
  expect(await at.text("write", { path: "empty", content: "" })).toBe("wrote empty: 0 bytes (new file)");
});

verifies("write:replaces", "an existing file is replaced as a whole", async () => {
  await using at = await session();
  await writeFile(at.dir.at("a.txt"), "old and longer");
  expect(await at.text("write", { path: "a.txt", content: "new" })).toBe(
    "wrote a.txt: 3 bytes (replaced 14 bytes)",
  );
  expect(await readFile(at.dir.at("a.txt"), "utf8")).toBe("new");
});

verifies("write:keeps-style", "line endings, byte order mark and encoding of the old file stay", async () => {
  await using at = await session();
  await writeFile(at.dir.at("crlf"), "\ufeffone\r\ntwo\r\n");
  expect(await at.text("write", { path: "crlf", content: "1\n2\n3" })).toBe(
    "wrote crlf: 10 bytes (replaced 13 bytes; kept CRLF line endings, byte order mark)",
  );
  expect(await readFile(at.dir.at("crlf"), "utf8")).toBe("\ufeff1\r\n2\r\n3");

  await writeFile(at.dir.at("wide"), Buffer.from("\ufeffone\n", "utf16le"));
  await at.text("write", { path: "wide", content: "zwölf\n" });
  expect(await readFile(at.dir.at("wide"))).toEqual(Buffer.from("\ufeffzwölf\n", "utf16le"));

  await writeFile(at.dir.at("mixed"), "one\r\ntwo\n");
  await at.text("write", { path: "mixed", content: "a\nb\r\n" });
  expect(await readFile(at.dir.at("mixed"), "utf8")).toBe("a\nb\r\n");
});

verifies(
  "write:keeps-mode",
  "permission bits stay, including the executable bit; new files follow the umask",
  async () => {
    await using at = await session();
    for (const mode of [0o755, 0o600, 0o644, 0o2750]) {
      await writeFile(at.dir.at("run.sh"), "x");
      await chmod(at.dir.at("run.sh"), mode);
      await at.text("write", { path: "run.sh", content: `mode ${mode}` });
      expect((await stat(at.dir.at("run.sh"))).mode & 0o7777).toBe(mode);
    }
    await at.text("write", { path: "new", content: "" });
    await writeFile(at.dir.at("reference"), "");
    expect((await stat(at.dir.at("new"))).mode).toBe((await stat(at.dir.at("reference"))).mode);
  },
);

verifies(
  "write:keeps-mode",
  "the owner and the set-id bits stay if we may keep them",
  async () => {
    await using at = await session();
    await writeFile(at.dir.at("a"), "x");
    await chown(at.dir.at("a"), 1234, 5678);
    await chmod(at.dir.at("a"), 0o6755);
    await at.text("write", { path: "a", content: "y" });
    expect(await stat(at.dir.at("a"))).toMatchObject({ uid: 1234, gid: 5678, mode: 0o106755 });
  },
  // Only root may give a file to another user.
  { when: isRoot },
);

verifies(
  "write:through-links",
  "writing to a link writes to its target; a dangling link gets its target created",
  async () => {
    await using at = await session();
    await mkdir(at.dir.at("real"));
    await writeFile(at.dir.at("real", "a"), "old");
    await symlink("real/a", at.dir.at("link"));
    await symlink("link", at.dir.at("second"));
    await symlink("made/up/b", at.dir.at("dangling"));
    await symlink("real", at.dir.at("folder"));
    await at.text("write", { path: "second", content: "new" });
    await at.text("write", { path: "dangling", content: "made" });
    await at.text("write", { path: "folder/c", content: "inside" });
    expect(await readFile(at.dir.at("real", "a"), "utf8")).toBe("new");
    expect(await readFile(at.dir.at("made/up/b"), "utf8")).toBe("made");
    expect(await readFile(at.dir.at("real", "c"), "utf8")).toBe("inside");
    for (const name of ["link", "second", "dangling", "folder"]) {
      expect((await lstat(at.dir.at(name))).isSymbolicLink()).toBe(true);
    }
    expect(await readlink(at.dir.at("second"))).toBe("link");
  },
);

verifies(
  "write:hard-links",
  "other hard links keep the old content, and the result warns of it",
  async () => {
    await using outside = await tempDir();
    await using at = await session();
    await writeFile(outside.at("other"), "precious");
    await link(outside.at("other"), at.dir.at("a"));
    expect(await at.text("write", { path: "a", content: "new" })).toContain(
      "warning: 1 other hard link(s) still have the old content",
    );
    expect(await readFile(outside.at("other"), "utf8")).toBe("precious");
    await link(outside.at("other"), at.dir.at("b"));
    const edited = await at.call("edit", { path: "b", oldText: "precious", newText: "cheap" });
    expect(JSON.stringify(edited.output)).toContain("other hard link(s)");
    expect(await readFile(outside.at("other"), "utf8")).toBe("precious");
  },
);

verifies("write:bad-input", "bad arguments are a failure that names the field or the path", async () => {
  await using at = await session();
  await mkdir(at.dir.at("folder"));
  await writeFile(at.dir.at("file"), "x");
  const bad: [unknown, RegExp][] = [
    [{ content: "x" }, /^write: "path" is missing$/],
    [{ path: "a" }, /^write: "content" is missing$/],
    [{ path: "a", content: 5 }, /^write: "content" must be a string, got 5$/],
    [{ path: "a", content: null }, /^write: "content" must be a string, got null$/],
    [{ path: "folder", content: "x" }, /^write: is a directory: /],
    [{ path: ".", content: "x" }, /^write: is a directory: /],
    [{ path: "file/below", content: "x" }, /^write: a part of the path is not a directory: /],
  ];
  for (const [input, message] of bad) expect(await at.fails("write", input)).toMatch(message);
  expect(await readFile(at.dir.at("file"), "utf8")).toBe("x");
});

verifies("write:abort", "an aborted write leaves the old content", async () => {
  await using at = await session();
  await writeFile(at.dir.at("a"), "old");
  const outcome = await at.call("write", { path: "a", content: "new" }, AbortSignal.abort());
  expect(outcome).toMatchObject({ isError: true, fault: { reason: "aborted" } });
  expect(await readFile(at.dir.at("a"), "utf8")).toBe("old");
});
