import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { CLIENT_WORDS } from "../../src/launch/internal.ts";
import { indusBin, runIndus, scriptedRow, writeConfig } from "./run-indus.ts";

/** What bash offers after each line, with the script that the command prints. */
function completed(dir: TempDir, env: NodeJS.ProcessEnv, lines: readonly string[]): string[][] {
  const asked = lines.map((line) => {
    const words = line.split(" ").map((word) => `'${word}'`);
    return `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _indus; echo "\${COMPREPLY[*]}"`;
  });
  const script = `source <(indus completion bash); ${asked.join("; ")}`;
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], {
    cwd: dir.path,
    env: { ...process.env, ...env, PATH: `${dir.at("bin")}:${process.env["PATH"]}` },
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(" "));
}

verifies(
  "listing:completion",
  "bash completes names of this folder; nothing is started, and nothing in a name is run",
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
    const [servers, some, flags, tools, own, either, filter, clients] = completed(dir, env, [
      "indus mcp doctor ",
      "indus mcp log go",
      "indus mcp doctor --j",
      "indus mcp call good__ec",
      "indus call ",
      "indus mcp disable good",
      "indus serve --tools good__ec",
      "indus mcp import ",
    ]);
    expect(servers?.filter((word) => !word.startsWith("-")).toSorted()).toEqual(["good", "later", "theirs"]);
    expect(some).toEqual(["good"]);
    expect(flags).toEqual(["--json"]);
    expect(tools).toEqual(["good__echo"]);
    expect(own).toEqual(expect.arrayContaining(["read", "todo_set", "good__echo"]));
    expect(either).toEqual(expect.arrayContaining(["good", "good__echo"]));
    expect(filter).toEqual(["good__echo"]);
    expect(clients).toEqual(expect.arrayContaining([...CLIENT_WORDS]));
    expect(readdirSync(dir.at("trap"))).toEqual([]);
    expect(readFileSync(starts, "utf8")).toBe(started);
    for (const words of [["all"], ["servers", "bash"], ["servers", "servers"]])
      expect((await runIndus(["completion", ...words], { cwd: dir.path, env })).code).toBe(2);
  },
  { when: spawnSync("bash", ["--version"]).status === 0, timeoutMs: 60_000 },
);
