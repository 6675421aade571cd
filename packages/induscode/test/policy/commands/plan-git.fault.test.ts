import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atSize, tempDir, verifies } from "@indus/testkit";
import type { ToolBox } from "indusagi/runtime";
import { createDeckContext, effectOf, provisionDeck, type ToolDeck } from "induscode/deck";
import { createPolicy, gate } from "induscode/policy";
import { expect } from "vitest";
import { GIT_PROGRAM_ATTACKS } from "../../conductor/rewind/git-programs.ts";

const canRun = process.platform !== "win32";

function createRepository(top: string): void {
  const git = (...args: readonly string[]): unknown =>
    execFileSync("git", args, { cwd: top, stdio: "ignore" });
  mkdirSync(top);
  writeFileSync(join(top, "README.md"), "one\n");
  git("init", "-q", "--template=");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.com");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  writeFileSync(join(top, "README.md"), "two\n");
}

/** A program that leaves a marker beside itself. */
function createProgram(path: string): string {
  writeFileSync(path, `#!/bin/sh\ntouch "${path}.ran"\nexec cat\n`);
  chmodSync(path, 0o755);
  return path;
}

function planned(deck: ToolDeck, cwd: string): ToolBox {
  return gate(deck.intoToolBox(), createPolicy({ cwd, effectOf, mode: "plan" }));
}

const run = async (box: ToolBox, command: string): Promise<string> => {
  const { output } = await box.runner.run({ id: "1", name: "bash", input: { command } });
  return JSON.stringify(output);
};

/** Every kind of reading that may run a filter, a conversion, a monitor, a hook, a signature check or a submodule. */
const READINGS =
  "git status; git status -uno --ignored; git diff; git diff HEAD; git diff --cached --stat; git log -p -2; git log --all --stat; git show; " +
  "git ls-files -m -o --exclude-standard; git grep -n data; git grep -n data HEAD; git blame README.md; git stash list; git branch -vv; git describe --all";

verifies(
  "policy:plan-git",
  "git in plan mode runs no program that a repository, a nested one, a submodule or an attribute names",
  async () => {
    const step = atSize({ quick: 12, full: 1 });
    const chosen = GIT_PROGRAM_ATTACKS.filter((_, index) => index % step === 0);
    expect(GIT_PROGRAM_ATTACKS.length).toBeGreaterThanOrEqual(40);
    const ran: string[] = [];
    for (const { name, folder, prepare } of chosen) {
      await using temp = await tempDir();
      const top = temp.at("top");
      const program = createProgram(temp.at("program"));
      createRepository(top);
      prepare({ top, program });
      await using deck = provisionDeck("all", createDeckContext(top));
      const box = planned(deck, top);
      await run(box, READINGS);
      if (folder !== undefined) await run(box, `cd ${folder} && git status && git diff`);
      if (existsSync(`${program}.ran`)) ran.push(name);
    }
    expect(ran).toEqual([]);
  },
  { timeoutMs: 300_000, when: canRun },
);

verifies(
  "policy:plan-git",
  "what git shows in plan mode is what it shows otherwise, with a filter and a text conversion as without",
  async () => {
    await using temp = await tempDir();
    const top = temp.at("top");
    createRepository(top);
    execFileSync("git", ["config", "diff.x.textconv", createProgram(temp.at("program"))], { cwd: top });
    writeFileSync(join(top, ".gitattributes"), "*.md diff=x\n");
    await using deck = provisionDeck("all", createDeckContext(top));
    const shown = await run(planned(deck, top), "git status --short; git diff; git log --format='%an %s'");
    for (const part of [" M README.md", "-one", "+two", "Ada first"]) expect(shown).toContain(part);
    expect(existsSync(temp.at("program.ran"))).toBe(false);
  },
  { when: canRun },
);

verifies(
  "policy:plan-git",
  "git is refused, with the reason, if its configuration is not all in the repository or cannot be passed over",
  async () => {
    const lines: readonly (readonly [config: Buffer, reason: string])[] = [
      [Buffer.from("[include]\n\tpath = ../../outside.cfg\n"), "includes"],
      [Buffer.from('[filter "\xff"]\n\tclean = false\n', "latin1"), "not UTF-8"],
      [
        Buffer.from(Array.from({ length: 2_100 }, (_, at) => `[filter "f${at}"]\n\tclean = x\n`).join("")),
        "more than 2000",
      ],
    ];
    for (const [config, reason] of lines) {
      await using temp = await tempDir();
      const top = temp.at("top");
      createRepository(top);
      writeFileSync(temp.at("outside.cfg"), "[http]\n\textraHeader = secret\n");
      appendFileSync(join(top, ".git", "config"), config);
      await using deck = provisionDeck("all", createDeckContext(top));
      const shown = await run(planned(deck, top), "git config --list");
      expect(shown).toContain(reason);
      expect(shown).not.toContain("secret");
    }
  },
  { when: canRun },
);

verifies(
  "policy:plan-path",
  "a program in a folder of the project is not found by its name in plan mode",
  async () => {
    await using temp = await tempDir();
    const top = temp.at("top");
    createRepository(top);
    mkdirSync(join(top, "bin"));
    const program = createProgram(join(top, "bin", "ls"));
    const path = process.env["PATH"];
    process.env["PATH"] = `${join(top, "bin")}:${path}`;
    try {
      await using deck = provisionDeck("all", createDeckContext(top));
      expect(await run(planned(deck, top), "ls")).toContain("README.md");
    } finally {
      process.env["PATH"] = path;
    }
    expect(existsSync(`${program}.ran`)).toBe(false);
  },
  { when: canRun },
);
