import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { EMPTY_PROJECT_FILES } from "../../src/policy/internal.ts";
import { findProtected } from "../../src/sandbox/find-protected.ts";
import { holdNames } from "../../src/sandbox/hold-names.ts";

const only = ["linux"] as const;
const NAMES = [".vscode", ".mcp.json", ".claude"];
/** No process has this id: it is above the largest one of the kernel. */
const DEAD = 2 ** 22 + 1;

/** A process in the records that is certainly alive, and one whose number was given to another process. */
const start = readFileSync(`/proc/${process.ppid}/stat`, "latin1")
  .replace(/^.*\) /, "")
  .split(" ")[19];
const LIVING = `by-${process.ppid}-${start}`;
const REUSED = `by-${process.ppid}-${Number(start) + 1}`;

verifies(
  "sandbox:litter",
  "absent names are held by what their readers expect, empty and valid, and then nothing is left",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at(".claude"));
    const first = await holdNames(dir.path, NAMES);
    const second = await holdNames(dir.path, NAMES);
    expect(first.paths).toEqual([dir.at(".vscode"), dir.at(".mcp.json")]);
    expect(second.paths).toEqual(first.paths);
    expect(readdirSync(dir.at(".vscode"))).toEqual([]);
    expect(JSON.parse(readFileSync(dir.at(".mcp.json"), "utf8"))).toEqual({ mcpServers: {} });
    first.release();
    first.release();
    expect(existsSync(dir.at(".vscode"))).toBe(true);
    second.release();
    expect(readdirSync(dir.path)).toEqual([".claude"]);
    for (const [name, text] of Object.entries(EMPTY_PROJECT_FILES))
      expect([name, typeof JSON.parse(text)]).toEqual([name, "object"]);
  },
  { only },
);

verifies(
  "sandbox:litter",
  "names of other processes are kept, and those of killed ones removed",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at(".vscode"));
    writeFileSync(dir.at(".mcp.json"), EMPTY_PROJECT_FILES[".mcp.json"] ?? "");
    for (const entry of ["has-.vscode", "has-.mcp.json", LIVING, REUSED, `by-${DEAD}-1`, `end-${DEAD}-1`])
      mkdirSync(dir.at(".indus-sandbox", entry), { recursive: true });
    writeFileSync(dir.at(".indus-sandbox", REUSED, "new"), "cut off");
    const shared = await holdNames(dir.path, NAMES);
    expect(shared).toMatchObject({ isShared: true, paths: NAMES.map((name) => dir.at(name)) });
    shared.release();
    // The last process removes the names, whoever made them.
    expect(readdirSync(dir.path).toSorted()).toEqual([".claude", ".indus-sandbox", ".mcp.json", ".vscode"]);
    expect(readdirSync(dir.at(".indus-sandbox")).toSorted()).toEqual(
      [LIVING, "has-.claude", "has-.mcp.json", "has-.vscode"].toSorted(),
    );
    rmdirSync(dir.at(".indus-sandbox", LIVING));
    const last = await holdNames(dir.path, NAMES);
    expect(last.isShared).toBe(false);
    last.release();
    expect(readdirSync(dir.path)).toEqual([]);
  },
  { only },
);

verifies(
  "sandbox:litter",
  "what somebody put under a held name stays, and so does what was there; a link cannot be held",
  async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at("opencode.json"), EMPTY_PROJECT_FILES["opencode.json"] ?? "");
    const names = [...NAMES, "opencode.json"];
    const held = await holdNames(dir.path, names);
    writeFileSync(dir.at(".vscode", "settings.json"), "{}");
    writeFileSync(dir.at(".mcp.json"), "mine");
    const again = await holdNames(dir.path, names);
    expect(again.paths).toEqual([dir.at(".claude")]);
    again.release();
    held.release();
    expect(readdirSync(dir.path).toSorted()).toEqual([".mcp.json", ".vscode", "opencode.json"]);
    expect(readFileSync(dir.at(".mcp.json"), "utf8")).toBe("mine");
    rmSync(dir.at(".mcp.json"));
    symlinkSync("elsewhere", dir.at(".mcp.json"));
    await expect(holdNames(dir.path, NAMES)).rejects.toThrow(
      /the link .*\.mcp\.json cannot be made read-only; /,
    );
    expect(readdirSync(dir.path).toSorted()).toEqual([".mcp.json", ".vscode", "opencode.json"]);
    // Nor can our own records be led elsewhere.
    rmSync(dir.at(".mcp.json"));
    symlinkSync(dir.at(".vscode"), dir.at(".indus-sandbox"));
    await expect(holdNames(dir.path, NAMES)).rejects.toThrow(/the link .*\.indus-sandbox cannot/);
    expect(readdirSync(dir.at(".vscode"))).toEqual(["settings.json"]);
  },
  { only },
);

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
  const held = await holdNames(dir.path, [".git", ".vscode"]);
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
