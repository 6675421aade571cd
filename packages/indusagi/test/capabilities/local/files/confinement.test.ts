import { link, mkdir, open, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { type Disk, type Fs, localFs } from "indusagi/capabilities";
import { expect } from "vitest";
import { nodeDisk } from "../../../../src/capabilities/local/files/node-disk.ts";
import { type Session, session } from "../../session.ts";

/** A folder to work in, and beside it one with a similar name and a secret. */
async function twins(
  base: TempDir,
  disk: Disk = nodeDisk,
): Promise<{ readonly fs: Fs; readonly root: string; readonly evil: string }> {
  const [root, evil] = [base.at("root"), base.at("root_evil")];
  await mkdir(root);
  await mkdir(evil);
  await writeFile(base.at("root_evil", "secret"), "SECRET");
  await writeFile(base.at("root", "plain"), "plain");
  return { fs: localFs({ read: [root], write: [root], disk }), root, evil };
}

/** All operations with a path. */
const USES: { readonly [use: string]: (fs: Fs, path: string) => Promise<unknown> } = {
  readText: (fs, path) => fs.readText(path),
  readBytes: (fs, path) => fs.readBytes(path),
  open: (fs, path) => fs.open(path),
  writeFile: (fs, path) => fs.writeFile(path, "x"),
  "writeFile new": (fs, path) => fs.writeFile(path, "x", { onlyNew: true }),
  stat: (fs, path) => fs.stat(path),
  readDir: (fs, path) => fs.readDir(path),
  resolve: (fs, path) => fs.resolve(path),
  "mkdir -p": (fs, path) => fs.mkdir(`${path}/sub`, { recursive: true }),
};

/** A disk without paths of open descriptors, as on some systems. */
const { fdPath: _, ...namesOnly } = nodeDisk;

async function leadsNowhere(disk: Disk): Promise<void> {
  await using base = await tempDir();
  const { fs, root, evil } = await twins(base, disk);
  const paths = [
    `${root}/../root_evil/secret`,
    `${root}/./.././root_evil/secret`,
    `${root}//..//root_evil//secret`,
    `${root}/plain/../../root_evil/secret`,
    `${evil}/secret`,
    `${evil}/missing`,
    `${evil}/missing/deeper`,
    `${evil}/secret/below`,
    `${root}_evil`,
    "/etc/passwd",
    "/etc/passwd/below",
    "/no/such/place",
    "/",
    dirname(root),
    "/proc/self/root/etc/passwd",
    "/proc/self/environ",
    `/proc/${process.pid}/cwd/package.json`,
  ];
  for (const path of paths) {
    for (const [use, act] of Object.entries(USES)) {
      await expect(act(fs, path), `${use} ${path}`).rejects.toMatchObject({
        name: "FsError",
        kind: "outside",
      });
    }
    expect(await fs.exists(path)).toBe(false);
  }
  expect(await readdir(evil)).toEqual(["secret"]);
}

verifies(
  "faults:d1-traversal",
  "every spelling of a path outside is refused, whether it exists or not",
  async () => {
    await leadsNowhere(nodeDisk);
    await leadsNowhere(namesOnly);
  },
);

verifies("faults:d1-traversal", "a refusal names the rule and the path, never what is there", async () => {
  await using base = await tempDir();
  const { fs, root, evil } = await twins(base);
  const said = async (path: string): Promise<string> =>
    fs.readText(path).catch((thrown: Error) => thrown.message);
  const there = await said(`${evil}/secret`);
  expect(there).toBe(`outside the folders that may be read (${root}): ${evil}/secret`);
  expect(await said(`${evil}/nothing`)).toBe(there.replace(`${evil}/secret`, `${evil}/nothing`));
  expect(await said(`${evil}/secret/x`)).toBe(there.replace(`${evil}/secret`, `${evil}/secret/x`));
  await expect(fs.writeFile(`${evil}/x`, "")).rejects.toThrow("outside the folders that may be written to");
});

verifies("faults:d1-traversal", "names that look like tricks are plain names inside", async () => {
  await using at = await session();
  const names = [
    "%2e%2e",
    "..%2fsecret",
    "...",
    "a\\..\\b",
    "x.",
    "x ",
    " x",
    "~root",
    "-rf",
    "a:b",
    "$HOME",
    "'\"`",
  ];
  for (const name of names) {
    await at.text("write", { path: name, content: name });
    expect(await at.text("read", { path: name })).toContain(`\t${name}`);
  }
  expect((await readdir(at.dir.path)).sort()).toEqual([...names].sort());
});

verifies(
  "faults:d1-traversal",
  "NUL, relative, over-long and unexpanded paths are refused with the reason",
  async () => {
    await using at = await session();
    const tools = (path: string): [string, object][] => [
      ["read", { path }],
      ["write", { path, content: "x" }],
      ["edit", { path, oldText: "a", newText: "b" }],
      ["ls", { path }],
    ];
    const cases: [string, RegExp][] = [
      ["a\0b", /: path contains a NUL character: .*a\\x00b$/],
      ["n".repeat(300), /: path is too long: /],
      [`${"d/".repeat(3000)}f`, /: path is too long: .*\.\.\. \(\d+ characters\)$/],
      ["../up", /: outside the folders/],
      ["/etc/hostname", /: outside the folders/],
      ["~/.bashrc", homedir() === "/" ? /./ : /: outside the folders/],
    ];
    for (const [path, message] of cases) {
      for (const [tool, input] of tools(path)) expect(await at.fails(tool, input), tool).toMatch(message);
    }
    await expect(localFs().readText("relative")).rejects.toMatchObject({ kind: "invalid_path" });
    expect(await readdir(at.dir.path)).toEqual([]);
  },
);

verifies("faults:d1-traversal", "control characters in a path are escaped in the answer", async () => {
  await using at = await session();
  const said = await at.fails("write", { path: "/etc/\x1b[2J\u202ex", content: "" });
  expect(said).toContain("/etc/\\x1b[2J\\u{202e}x");
});

async function linked(at: Session, outside: TempDir): Promise<void> {
  await writeFile(outside.at("secret"), "SECRET");
  await mkdir(at.dir.at("sub"));
  await symlink(outside.at("secret"), at.dir.at("file"));
  await symlink(outside.path, at.dir.at("folder"));
  await symlink("../folder", at.dir.at("sub", "parent"));
  await symlink(outside.at("not-yet"), at.dir.at("dangling"));
  await symlink("file", at.dir.at("chain"));
  await symlink("/proc/self/root", at.dir.at("everything"));
  await symlink("/proc/self/cwd", at.dir.at("cwd"));
}

verifies("faults:d2-links", "links to places outside are not read, listed or written through", async () => {
  await using outside = await tempDir();
  await using at = await session();
  await linked(at, outside);
  const paths = [
    "file",
    "chain",
    "folder/secret",
    "sub/parent/secret",
    "folder/new",
    "dangling",
    "folder",
    `everything${outside.path}/secret`,
    "everything/etc/passwd",
    "cwd/package.json",
  ];
  for (const path of paths) {
    for (const [tool, input] of [
      ["read", { path }],
      ["write", { path, content: "x" }],
      ["write", { path: `${path}/deeper`, content: "x" }],
      ["edit", { path, oldText: "SECRET", newText: "x" }],
      ["ls", { path }],
    ] as const) {
      expect(await at.fails(tool, input), `${tool} ${path}`).toMatch(
        /: outside the folders that may be (read|written to)/,
      );
    }
  }
  expect(await readdir(outside.path)).toEqual(["secret"]);
  expect(await readFile(outside.at("secret"), "utf8")).toBe("SECRET");
});

verifies(
  "faults:d2-links",
  "a link that leaves and comes back is followed, an endless one is refused",
  async () => {
    await using outside = await tempDir();
    await using at = await session();
    await writeFile(at.dir.at("f"), "inside");
    await symlink(at.dir.path, outside.at("back"));
    await symlink(outside.at("back"), at.dir.at("round"));
    await symlink("loop-b", at.dir.at("loop-a"));
    await symlink("loop-a", at.dir.at("loop-b"));
    expect(await at.text("read", { path: "round/f" })).toContain("inside");
    await at.text("write", { path: "round/g", content: "written" });
    expect(await readFile(at.dir.at("g"), "utf8")).toBe("written");
    for (const tool of ["read", "write", "ls"]) {
      expect(await at.fails(tool, { path: "loop-a", content: "x" })).toMatch(/: too many symbolic links: /);
    }
  },
);

verifies(
  "faults:d2-links",
  "an open descriptor of this process gives no access outside",
  async () => {
    await using outside = await tempDir();
    await using at = await session();
    await writeFile(outside.at("secret"), "SECRET");
    const [file, folder] = [await open(outside.at("secret")), await open(outside.path)];
    for (const path of [
      `/proc/self/fd/${file.fd}`,
      `/proc/self/fd/${folder.fd}/secret`,
      `/proc/thread-self/fd/${file.fd}`,
      "/dev/fd/0",
    ]) {
      expect(await at.fails("read", { path }), path).toContain("outside the folders");
      expect(await at.fails("write", { path, content: "x" }), path).toContain("outside the folders");
    }
    await file.close();
    await folder.close();
    expect(await readFile(outside.at("secret"), "utf8")).toBe("SECRET");
  },
  { only: ["linux"] },
);

verifies(
  "faults:d2-links",
  "a hard link inside to a file outside is replaced, and the file outside is unchanged",
  async () => {
    await using outside = await tempDir();
    await using at = await session();
    await writeFile(outside.at("f"), "theirs");
    await link(outside.at("f"), at.dir.at("f"));
    expect(await at.text("write", { path: "f", content: "mine" })).toContain("other hard link(s)");
    expect(await readFile(outside.at("f"), "utf8")).toBe("theirs");
  },
);

verifies(
  "fs:roots",
  "a root reached through a link is that folder; one that becomes a link later is not followed",
  async () => {
    await using base = await tempDir();
    await mkdir(base.at("real"));
    await writeFile(base.at("real", "f"), "x");
    await symlink("real", base.at("alias"));
    const fs = localFs({ read: [base.at("alias")], write: [base.at("alias")] });
    expect(await fs.readText(base.at("alias", "f"))).toBe("x");
    expect(await fs.readText(base.at("real", "f"))).toBe("x");
    await rename(base.at("real"), base.at("moved"));
    await symlink("moved", base.at("real"));
    await expect(fs.readText(base.at("real", "f"))).rejects.toMatchObject({ kind: "outside" });
  },
);

verifies(
  "fs:roots",
  "reading and writing have separate roots, and several roots are all accessible",
  async () => {
    await using one = await tempDir();
    await using two = await tempDir();
    await writeFile(two.at("f"), "x");
    const fs = localFs({ read: [one.path, two.path], write: [one.path] });
    expect(await fs.readText(two.at("f"))).toBe("x");
    await expect(fs.writeFile(two.at("f"), "y")).rejects.toMatchObject({ kind: "outside" });
    await fs.writeFile(one.at("f"), "y");
    await expect(localFs({ read: [], write: [] }).readText(one.at("f"))).rejects.toMatchObject({
      kind: "outside",
    });
  },
);

verifies("fs:roots", "a root may be read but neither removed nor created", async () => {
  await using base = await tempDir();
  const fs = localFs({ read: [base.path], write: [base.path] });
  expect((await fs.stat(base.path)).isDirectory).toBe(true);
  expect((await fs.stat(base.path, { followLinks: false })).isDirectory).toBe(true);
  await expect(fs.rm(base.path, { recursive: true })).rejects.toMatchObject({ kind: "outside" });
  await expect(fs.mkdir(base.path)).rejects.toMatchObject({ kind: "outside" });
  await expect(fs.rm(`${base.path}/sub/..`, { recursive: true })).rejects.toMatchObject({ kind: "outside" });
  await expect(fs.rm(`${base.path}/..`, { recursive: true })).rejects.toMatchObject({ kind: "outside" });
  await expect(localFs().rm("/", { recursive: true })).rejects.toMatchObject({ kind: "invalid_path" });
});
