import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { atSize, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { READING_COMMANDS } from "./reading-commands.ts";
import { changesBetween, fillScratchFolder, snapshotOf } from "./scratch-folder.ts";
import { WRITING_COMMANDS } from "./writing-commands.ts";

const SHELL = "/bin/bash";
const canRun = process.platform === "linux" && existsSync(SHELL) && hasProgram("git");

function hasProgram(name: string): boolean {
  return spawnSync(SHELL, ["-c", `command -v ${name}`]).status === 0;
}

/** As the bash tool runs it: no terminal, no input, no variables of ours. */
function run(command: string, cwd: string): void {
  spawnSync(SHELL, ["-c", "--", command], {
    cwd,
    input: "",
    timeout: 20_000,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, GIT_PAGER: "cat", PAGER: "cat", TERM: "dumb" },
  });
}

verifies(
  "policy:readers",
  "the commands in the list of writers really write, as far as their programs are installed",
  async () => {
    await using temp = await tempDir();
    const fresh = temp.at("fresh");
    execFileSync("mkdir", [fresh]);
    fillScratchFolder(fresh);
    const before = snapshotOf(fresh);
    const step = atSize({ quick: 11, full: 1 });
    const chosen = WRITING_COMMANDS.filter(({ proof }) => proof !== undefined).filter(
      (_, index) => index % step === 0,
    );
    const harmless = chosen.filter(({ command, proof = "" }, index) => {
      const folder = temp.at(String(index));
      cpSync(fresh, folder, { recursive: true });
      run(command, folder);
      const changed = changesBetween(before, snapshotOf(folder));
      return !changed.includes(proof) && !existsSync(join(temp.path, proof));
    });
    expect(chosen.length).toBeGreaterThan(10);
    expect(harmless).toEqual([]);
  },
  { timeoutMs: 240_000, when: canRun },
);

verifies(
  "policy:readers",
  "the commands in the list of readers change nothing",
  async () => {
    await using temp = await tempDir();
    fillScratchFolder(temp.path);
    // Git writes the times of the files into its index when it reads it for the first time.
    run("git status", temp.path);
    const before = snapshotOf(temp.path);
    const step = atSize({ quick: 4, full: 1 });
    for (const command of READING_COMMANDS.filter((_, index) => index % step === 0)) {
      run(command, temp.path);
      expect(changesBetween(before, snapshotOf(temp.path)), command).toEqual([]);
    }
  },
  { timeoutMs: 240_000, when: canRun },
);
