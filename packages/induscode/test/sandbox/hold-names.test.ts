import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { findProtected } from "../../src/sandbox/find-protected.ts";
import { holdNames } from "../../src/sandbox/hold-names.ts";

const NAMES = [".vscode", ".mcp.json", ".claude"];
/** No process has this id: it is above the largest one of the kernel. */
const DEAD = 2 ** 22 + 1;

verifies(
  "sandbox:protected",
  "absent names are held while a command runs, and then nothing is left",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at(".claude"));
    const first = holdNames(dir.path, NAMES);
    const second = holdNames(dir.path, NAMES);
    expect(first.paths).toEqual([dir.at(".vscode"), dir.at(".mcp.json")]);
    expect(second.paths).toEqual(first.paths);
    first.release();
    first.release();
    expect(existsSync(dir.at(".vscode"))).toBe(true);
    second.release();
    expect(readdirSync(dir.path)).toEqual([".claude"]);
  },
);

verifies(
  "sandbox:protected",
  "names of other processes are kept, and those of killed ones removed",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at(".vscode", `.indus-sandbox-${process.ppid}`), { recursive: true });
    mkdirSync(dir.at(".mcp.json", `.indus-sandbox-${DEAD}`), { recursive: true });
    const held = holdNames(dir.path, NAMES);
    held.release();
    expect(readdirSync(dir.path)).toEqual([".vscode"]);
    expect(readdirSync(dir.at(".vscode"))).toEqual([`.indus-sandbox-${process.ppid}`]);
  },
);

verifies("sandbox:protected", "what somebody put into a held name stays; a link cannot be held", async () => {
  await using dir = await tempDir();
  const held = holdNames(dir.path, NAMES);
  writeFileSync(dir.at(".vscode", "settings.json"), "{}");
  held.release();
  expect(readdirSync(dir.at(".vscode"))).toEqual(["settings.json"]);
  symlinkSync("elsewhere", dir.at(".mcp.json"));
  expect(() => holdNames(dir.path, NAMES)).toThrow(/the link .*\.mcp\.json cannot be made read-only; /);
  expect(readdirSync(dir.path).toSorted()).toEqual([".mcp.json", ".vscode"]);
});

verifies("sandbox:protected", "protected files are found in the folders of a workspace", async () => {
  await using dir = await tempDir();
  const workspace = dir.at(".claude", "work");
  const made = [
    "a/b/.vscode/tasks.json",
    ".git/hooks/pre-commit",
    "a/.env",
    "a/.env.example",
    "a/b/c/d/.mcp.json",
  ];
  for (const path of [...made, "node_modules/x/.env", "src/main.ts"]) {
    mkdirSync(dir.at(".claude", "work", ...path.split("/").slice(0, -1)), { recursive: true });
    writeFileSync(dir.at(".claude", "work", path), "");
  }
  symlinkSync("a/.env", dir.at(".claude", "work", ".env"));
  expect((await findProtected(workspace)).map((path) => path.slice(workspace.length + 1)).toSorted()).toEqual(
    [".git", "a/.env", "a/b/.vscode"],
  );
});

verifies("sandbox:protected", "no number of other protected files hides the names of a project", async () => {
  await using dir = await tempDir();
  for (let at = 0; at < 510; at += 1) writeFileSync(dir.at(`.env.${at}`), "");
  const held = holdNames(dir.path, [".git", ".vscode"]);
  expect((await findProtected(dir.path)).slice(0, 2)).toEqual([dir.at(".git"), dir.at(".vscode")]);
  held.release();
  await expect(findProtected(dir.at("none"))).rejects.toThrow(/none cannot be protected: ENOENT/);
});

verifies("sandbox:protected", "git can be led into no submodule, cloned or not, however deep", async () => {
  await using dir = await tempDir();
  const folders = [".git", "a/b/c/d/deep/.git", "vendor/empty", "vendor/.git", "elsewhere/.git"];
  for (const folder of folders) mkdirSync(dir.at(...folder.split("/")), { recursive: true });
  writeFileSync(dir.at(".git", "HEAD"), "ref: refs/heads/main\n");
  symlinkSync("elsewhere", dir.at("link"));
  const paths = ["a/b/c/d/deep", "vendor/empty", "link", "missing", "../outside"];
  writeFileSync(
    dir.at(".gitmodules"),
    paths.map((path) => `[submodule "${path}"]\n\tpath = ${path}\n\turl = u\n`).join(""),
  );
  expect(await findProtected(dir.path)).toEqual([
    dir.at(".git"),
    dir.at(".gitmodules"),
    dir.at("elsewhere", ".git"),
    dir.at("vendor", ".git"),
    dir.at("a", "b", "c", "d", "deep", ".git"),
    dir.at("vendor", "empty"),
  ]);
  // In a folder below, whose `.git` is held.
  expect(await findProtected(dir.at("vendor"))).toEqual([
    dir.at("vendor", ".git"),
    dir.at("vendor", "empty"),
  ]);
});

verifies("sandbox:protected", "names that another process holds too are noticed", async () => {
  await using dir = await tempDir();
  expect(holdNames(dir.path, [".zed"]).isShared).toBe(false);
  mkdirSync(dir.at(".vscode", `.indus-sandbox-${process.ppid}`), { recursive: true });
  expect(holdNames(dir.path, NAMES).isShared).toBe(true);
});
