import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { calling, printRun } from "../commands/session/print-run.ts";
import { scriptedRow, startIndus, writeConfig } from "./run-indus.ts";

const ADDON = fileURLToPath(new URL("../../../../examples/addons/dice.mjs", import.meta.url));

verifies(
  "addons:session",
  "a session offers the user's addons and runs them; a project's folder is never read",
  async () => {
    await using test = await printRun([
      calling(["dice", { sides: 6 }], ["s__echo", { text: "hi" }]),
      { text: "Done." },
    ]);
    const folder = test.at("config", "indusvx", "addons");
    mkdirSync(folder, { recursive: true });
    copyFileSync(ADDON, `${folder}/dice.mjs`);
    mkdirSync(`${test.project}/.indusvx/addons`, { recursive: true });
    writeFileSync(
      `${test.project}/.indusvx/addons/evil.mjs`,
      'export const tools = [{ name: "evil", description: "d", run: () => "" }];',
    );
    using indus = startIndus(
      ["-p", "--mcp", await writeConfig(test.at("servers.json"), { s: scriptedRow() }), "Roll."],
      {
        cwd: test.project,
        env: test.env,
      },
    );
    indus.child.stdin.end();
    expect({ code: await indus.ended, out: indus.out(), err: indus.err() }).toEqual({
      code: 0,
      out: "Done.\n",
      err: "",
    });
    const requests = JSON.stringify(test.server.requests);
    expect(requests).toMatch(/rolled [1-6] of 6/);
    expect(requests).toMatch(/s took \d+ ms/);
    expect(requests).not.toContain("evil");
  },
);
