import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import { expect, vi } from "vitest";
import { EMPTY_PROJECT_FILES } from "../../../src/policy/internal.ts";
import { findRepository } from "../../../src/policy/sandbox/find-repository.ts";
import { holdNames } from "../../../src/policy/sandbox/hold-names.ts";
import { heldNames } from "../../../src/policy/sandbox/index.ts";
import { findProtected } from "../../../src/policy/sandbox/share-protected.ts";

const only = ["linux"] as const;
const NAMES = [".vscode", ".mcp.json", ".claude"];
/** No process has this id: it is above the largest one of the kernel. */
const DEAD = 2 ** 22 + 1;

/** A process in the records that is certainly alive, and one whose number was given to another process. */
const start = readFileSync(`/proc/${process.ppid}/stat`, "latin1")
  .replace(/^.*\) /, "")
  .split(" ")[19];
const NAMESPACE = readlinkSync("/proc/self/ns/pid").replace(/\D+/g, "");
const LIVING = `by-${process.ppid}-${start}-${NAMESPACE}`;
const REUSED = `by-${process.ppid}-${Number(start) + 1}-${NAMESPACE}`;

/** The mark for what is at a path now. */
function markOf(path: string): string {
  const { ino, birthtimeNs } = lstatSync(path, { bigint: true });
  return `has-${basename(path)}-${ino}-${birthtimeNs}`;
}

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
    const marks = [markOf(dir.at(".vscode")), markOf(dir.at(".mcp.json"))];
    const dead = [`by-${DEAD}-1-${NAMESPACE}`, `end-${DEAD}-1-${NAMESPACE}`];
    for (const entry of [...marks, LIVING, REUSED, ...dead])
      mkdirSync(dir.at(".indus-sandbox", entry), { recursive: true });
    writeFileSync(dir.at(".indus-sandbox", REUSED, "new"), "cut off");
    const shared = await holdNames(dir.path, NAMES);
    expect(shared).toMatchObject({ isShared: true, paths: NAMES.map((name) => dir.at(name)) });
    shared.release();
    // The last process removes the names, whoever made them.
    expect(readdirSync(dir.path).toSorted()).toEqual([".claude", ".indus-sandbox", ".mcp.json", ".vscode"]);
    expect(readdirSync(dir.at(".indus-sandbox")).toSorted()).toEqual(
      [LIVING, markOf(dir.at(".claude")), ...marks].toSorted(),
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

verifies(
  "sandbox:litter",
  "a file of the user with the same bytes stays, and so does an empty folder that a forged record names",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at(".claude"));
    mkdirSync(dir.at("docs"));
    const { ino } = lstatSync(dir.at(".claude"));
    const forged = ["has-.claude", `has-.claude-${ino}`, `has-.claude-${ino}-1`, markOf(dir.at("docs"))];
    for (const entry of forged) mkdirSync(dir.at(".indus-sandbox", entry), { recursive: true });
    // A note that it is being made counts only if the folder appeared right after, and not in an earlier tick of the clock.
    const note = dir.at(".indus-sandbox", `by-${DEAD}-1-${NAMESPACE}`, ".claude");
    do {
      rmSync(note, { recursive: true, force: true });
      mkdirSync(note, { recursive: true });
    } while (lstatSync(note).ctimeMs === lstatSync(dir.at(".claude")).ctimeMs);
    const held = await holdNames(dir.path, NAMES);
    expect(held.paths).toEqual([dir.at(".vscode"), dir.at(".mcp.json")]);
    const text = readFileSync(dir.at(".mcp.json"));
    rmSync(dir.at(".mcp.json"));
    writeFileSync(dir.at(".mcp.json"), text);
    held.release();
    expect(
      readdirSync(dir.path)
        .filter((name) => name !== ".indus-sandbox")
        .toSorted(),
    ).toEqual([".claude", ".mcp.json", "docs"]);
  },
  { only },
);

verifies(
  "sandbox:litter",
  "what a killed process was about to mark is removed",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at(".indus-sandbox", `by-${DEAD}-1-${NAMESPACE}`, ".vscode"), { recursive: true });
    mkdirSync(dir.at(".vscode"));
    (await holdNames(dir.path, [".claude"])).release();
    expect(readdirSync(dir.path)).toEqual([]);
  },
  { only },
);

verifies(
  "sandbox:litter",
  "a process in another container that shares the folder is alive as long as its record is fresh",
  async () => {
    await using dir = await tempDir();
    const foreign = dir.at(".indus-sandbox", `by-${DEAD}-1-1`);
    mkdirSync(foreign, { recursive: true });
    const held = await holdNames(dir.path, NAMES);
    expect(held.isShared).toBe(true);
    held.release();
    expect(readdirSync(dir.path).toSorted()).toEqual([".claude", ".indus-sandbox", ".mcp.json", ".vscode"]);
    // Its last sign of life is six minutes old.
    const nowMs = Date.now();
    vi.spyOn(Date, "now").mockReturnValue(nowMs + 360_000);
    try {
      const alone = await holdNames(dir.path, NAMES);
      expect(alone.isShared).toBe(false);
      alone.release();
    } finally {
      vi.restoreAllMocks();
    }
    expect(readdirSync(dir.path)).toEqual([]);
  },
  { only },
);

verifies(
  "sandbox:isolation",
  "a pipe or a device under a name that we read does not stop this process",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at(".git"));
    writeFileSync(dir.at(".git", "HEAD"), "ref: refs/heads/main\n");
    mkdirSync(dir.at("sub"));
    const pipes = { ".gitmodules": "path = sub\n", ".mcp.json": EMPTY_PROJECT_FILES[".mcp.json"] ?? "" };
    // Whoever reads the pipe gets this, and the test fails; nobody waits for ever.
    const writers = Object.entries(pipes).map(([name, text]) => {
      execFileSync("mkfifo", [dir.at(name)]);
      return spawn("sh", ["-c", 'printf %s "$1" > "$2"', "sh", text, dir.at(name)], { stdio: "ignore" });
    });
    try {
      mkdirSync(dir.at(".indus-sandbox", markOf(dir.at(".mcp.json"))), { recursive: true });
      mkdirSync(dir.at(".indus-sandbox", "has-.mcp.json"), { recursive: true });
      symlinkSync("/dev/zero", dir.at(".git", "commondir"));
      expect(findRepository(dir.path)?.excludeFile).toBeUndefined();
      expect(await findProtected(dir.path)).toEqual(
        [".git", ".gitmodules", ".mcp.json"].map((name) => dir.at(name)),
      );
      expect(heldNames(dir.path, readdirSync(dir.path))).toEqual([".indus-sandbox"]);
      const held = await holdNames(dir.path, NAMES);
      expect(held.paths).toEqual([dir.at(".vscode"), dir.at(".claude")]);
      held.release();
      expect(existsSync(dir.at(".mcp.json"))).toBe(true);
      rmSync(dir.at(".gitmodules"));
      writeFileSync(dir.at(".gitmodules"), "#".repeat(1024 * 1024 + 1));
      await expect(findProtected(dir.path)).rejects.toThrow(
        /\.gitmodules is larger than 1 MiB.*; shorten it/,
      );
    } finally {
      for (const writer of writers) writer.kill("SIGKILL");
    }
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

verifies("sandbox:protected", "more protected paths than can be mounted are an error", async () => {
  await using dir = await tempDir();
  mkdirSync(dir.at("lib", ".git"), { recursive: true });
  for (let at = 0; at < 499; at += 1) writeFileSync(dir.at(`.env.${at}`), "");
  expect(await findProtected(dir.path)).toContain(dir.at("lib", ".git"));
  writeFileSync(dir.at(".env"), "");
  await expect(findProtected(dir.path)).rejects.toThrow(
    /cannot be protected: it has more than 500 protected paths, .*; remove some, or use --sandbox off$/,
  );
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
