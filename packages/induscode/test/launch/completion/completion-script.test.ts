import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { COMMANDS } from "../../../src/commands/index.ts";
import { completionScript } from "../../../src/launch/completion/index.ts";

function has(shell: string): boolean {
  return spawnSync(shell, ["--version"]).status === 0;
}

/** Runs a script in a shell and returns its lines. */
function linesOf(shell: string, args: readonly string[], script: string): string[] {
  const { stdout, stderr, status } = spawnSync(shell, [...args, script], {
    encoding: "utf8",
    timeout: 20_000,
  });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout.trim().split("\n");
}

const LINES: readonly (readonly [line: string, some: readonly string[]])[] = [
  ["indus ", ["mcp", "serve", "connect", "completion"]],
  ["indus mcp ", ["list", "add", "trust", "import"]],
  ["indus mcp im", ["import"]],
  ["indus connect cl", ["claude-desktop", "claude-code"]],
  ["indus mcp add --s", ["--scope"]],
  ["indus mcp add x --scope ", ["project", "user"]],
  ["indus completion ", ["bash", "zsh", "fish"]],
  ["indus serve --st", ["--stdio"]],
];

verifies("command:completion", "every command and flag of the tables is in every script", () => {
  for (const shell of ["bash", "zsh", "fish"] as const) {
    const script = completionScript(COMMANDS, shell);
    for (const { name, flags } of COMMANDS) {
      for (const word of name.split(" ")) expect(script).toContain(word);
      for (const flag of flags) expect(script).toContain(flag.name.slice(2));
    }
  }
});

verifies(
  "command:completion",
  "bash completes commands, flags and values",
  async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at("indus.bash"), completionScript(COMMANDS, "bash"));
    const asked = LINES.map(([line]) => {
      const words = line.split(" ");
      const list = words.map((word) => `'${word}'`).join(" ");
      return `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _indus; echo "\${COMPREPLY[*]}"`;
    });
    const lines = linesOf("bash", ["--norc", "-c"], `source '${dir.at("indus.bash")}'; ${asked.join("; ")}`);
    for (const [index, [line, some]] of LINES.entries())
      expect(lines[index]?.split(" "), line).toEqual(expect.arrayContaining([...some]));
    expect(lines[2]).toBe("import");
    expect(lines[5]).toBe("project user");
  },
  { when: has("bash") },
);

verifies(
  "command:completion",
  "fish completes commands, flags and values",
  async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at("indus.fish"), completionScript(COMMANDS, "fish"));
    const asked = LINES.map(([line]) => `complete -C '${line}'; echo ---`);
    const script = `source '${dir.at("indus.fish")}'; ${asked.join("; ")}`;
    const groups = linesOf("fish", ["--no-config", "-c"], script).join("\n").split("\n---");
    for (const [index, [line, some]] of LINES.entries()) {
      const words = (groups[index] ?? "").split("\n").map((each) => each.split("\t")[0]);
      expect(words, line).toEqual(expect.arrayContaining([...some]));
    }
  },
  { when: has("fish") },
);

verifies(
  "command:completion",
  "zsh loads the script and completes commands, flags and values",
  async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at("_indus"), completionScript(COMMANDS, "zsh"));
    // Completion needs a terminal, so the two functions that offer words are replaced by ones that print them.
    const asked = LINES.map(([line]) => {
      const words = line.split(" ");
      const list = words.map((word) => `'${word}'`).join(" ");
      return `words=(${list}); CURRENT=${words.length}; _indus; echo ---`;
    });
    const stand = `compdef() { : }; _files() { : }; compadd() { shift; print -l -- $@ }; _describe() { print -l -- \${(P)2} }`;
    const script = `${stand}; source '${dir.at("_indus")}'; ${asked.join("; ")}`;
    const groups = linesOf("zsh", ["-f", "-c"], script).join("\n").split("\n---");
    for (const [index, [line, some]] of LINES.entries()) {
      const offered = (groups[index] ?? "").split("\n").map((each) => each.split(":")[0]);
      expect(offered, line).toEqual(expect.arrayContaining([...some]));
    }
  },
  { when: has("zsh") },
);
