import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { FIXTURE_HOME } from "../servers/clients/client-fixtures.ts";
import { eventually } from "./run-indus.ts";
import { startInTerminal } from "./terminal-indus.ts";

verifies(
  "command:ask",
  "questions are asked on the terminal, a secret is not shown, and Ctrl-C in one ends the command",
  async () => {
    await using dir = await tempDir();
    const home = dir.at("home");
    mkdirSync(home);
    cpSync(FIXTURE_HOME, home, { recursive: true });
    const env = { HOME: home, XDG_CONFIG_HOME: undefined, XDG_STATE_HOME: dir.at("state") };
    using indus = startInTerminal(["mcp", "import", "vscode"], { cwd: home, env, columns: 200 });
    const asked = (text: string): Promise<true> =>
      eventually(() => indus.screen().includes(text) || undefined);
    await asked("[y/N]");
    indus.press("y\r");
    await asked("GitHub Personal Access Token:");
    indus.press("ghp_typed\r");
    await asked("Region (eu, us) [eu]:");
    indus.press("us\r");
    expect(await indus.ended).toBe(0);
    expect(indus.written()).not.toContain("ghp_typed");
    expect(indus.isRestored()).toBe(true);
    expect(readFileSync(dir.at("state", "indusvx", "inputs.json"), "utf8")).toContain('"value":"ghp_typed"');

    using second = startInTerminal(["mcp", "import", "cursor"], { cwd: home, env, columns: 200 });
    await eventually(() => second.screen().includes("[y/N]") || undefined);
    second.press("\u0003");
    expect(await second.ended).toBe(130);
    expect(second.isRestored()).toBe(true);
  },
  { only: ["linux", "darwin"] },
);
