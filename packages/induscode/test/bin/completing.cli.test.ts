import { execFile, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { CLIENT_WORDS } from "../../src/launch/internal.ts";
import { indusBin, runIndus, scriptedRow, writeConfig } from "./run-indus.ts";

/** How each shell shows what it offers after a line, with the script that the command prints. */
const SHELLS: { readonly [shell: string]: { readonly load: string; ask(line: string): string } } = {
  bash: {
    load: "source <(indus completion bash)",
    ask: (line) => {
      const words = quotedWords(line);
      return `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _indus; printf '%s\\n' "\${COMPREPLY[@]}"`;
    },
  },
  zsh: {
    // Completion needs a terminal, so the functions that offer words are replaced by ones that print them.
    load: `compdef() { : }; _files() { : }; compadd() { shift; print -l -- $@ }; _describe() { print -l -- \${(P)2} }; source <(indus completion zsh)`,
    ask: (line) => {
      const words = quotedWords(line);
      return `words=(${words.join(" ")}); CURRENT=${words.length}; PREFIX=\${words[-1]}; _indus`;
    },
  },
  fish: { load: "indus completion fish | source", ask: (line) => `complete -C '${line}'` },
};

function quotedWords(line: string): readonly string[] {
  return line.split(" ").map((word) => `'${word}'`);
}

function has(shell: string): boolean {
  return spawnSync(shell, ["--version"]).status === 0;
}

/** The words that a shell offers after each line. Those of zsh are not filtered by what is typed. */
async function completed(
  shell: string,
  { dir, env }: { readonly dir: TempDir; readonly env: NodeJS.ProcessEnv },
  lines: readonly string[],
): Promise<string[][]> {
  const { load = "", ask = String } = SHELLS[shell] ?? {};
  const script = [load, ...lines.map((line) => `${ask(line)}; echo ---`)].join("; ");
  const plain = { bash: "--norc", zsh: "-f", fish: "--no-config" }[shell] ?? "";
  const { stdout, stderr } = await promisify(execFile)(shell, [plain, "-c", script], {
    cwd: dir.path,
    env: { ...process.env, ...env, PATH: `${dir.at("bin")}:${process.env["PATH"]}` },
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  const groups = stdout.split("---\n").slice(0, -1);
  return groups.map((group) => group.split("\n").flatMap((line) => line.split(/[\t:]/)[0] || []));
}

verifies(
  "listing:completion",
  "shells complete names of this folder; nothing is started, and nothing in a name is run",
  async () => {
    await using dir = await tempDir();
    for (const folder of ["bin", "config/indusvx", ".indusvx", "trap"])
      mkdirSync(dir.at(folder), { recursive: true });
    writeFileSync(dir.at("bin/indus"), `#!/bin/sh\nexec '${process.execPath}' '${indusBin}' "$@"\n`);
    chmodSync(dir.at("bin/indus"), 0o755);
    const starts = dir.at("starts");
    const env = { XDG_CONFIG_HOME: dir.at("config"), XDG_STATE_HOME: dir.at("state") };
    await writeConfig(dir.at("config/indusvx/mcp.json"), {
      good: scriptedRow("--starts", starts),
      later: scriptedRow("--starts", starts),
    });
    // A repository that was cloned may name its servers like this.
    const traps = ["$(touch trap/a)", "`touch trap/b`", "good; touch trap/c", "-x", "two words", "*"];
    await writeConfig(dir.at(".indusvx/mcp.json"), {
      theirs: scriptedRow("--starts", starts),
      ...Object.fromEntries(traps.map((name) => [name, scriptedRow()])),
    });
    expect((await runIndus(["mcp", "list", "good"], { cwd: dir.path, env })).code).toBe(0);
    const started = readFileSync(starts, "utf8");
    const tryShell = async (shell: string): Promise<void> => {
      const lines = [
        "indus mcp doctor ",
        "indus mcp log go",
        "indus mcp call good__ec",
        "indus call ",
        "indus mcp disable good",
        "indus serve --tools good__ec",
        "indus mcp import ",
      ];
      const typed = (await completed(shell, { dir, env }, lines)).map((words, at) => {
        const word = lines[at]?.split(" ").at(-1) ?? "";
        return words.filter((each) => each.startsWith(word) && !each.startsWith("-"));
      });
      const [servers, some, tools, own, either, filter, clients] = typed;
      expect(servers, shell).toEqual(expect.arrayContaining(["good", "later", "theirs"]));
      for (const trap of traps) expect(servers, shell).not.toContain(trap);
      expect(some, shell).toEqual(["good"]);
      expect(tools, shell).toEqual(["good__echo"]);
      expect(own, shell).toEqual(expect.arrayContaining(["read", "todo_set", "good__echo"]));
      expect(either, shell).toEqual(expect.arrayContaining(["good", "good__echo"]));
      expect(filter, shell).toEqual(["good__echo"]);
      expect(clients, shell).toEqual(expect.arrayContaining([...CLIENT_WORDS]));
    };
    await Promise.all(Object.keys(SHELLS).filter(has).map(tryShell));
    expect(readdirSync(dir.at("trap"))).toEqual([]);
    expect(readFileSync(starts, "utf8")).toBe(started);
    for (const words of [["all"], ["servers", "bash"], ["servers", "servers"]])
      expect((await runIndus(["completion", ...words], { cwd: dir.path, env })).code).toBe(2);
  },
  { when: has("bash"), timeoutMs: 120_000 },
);
