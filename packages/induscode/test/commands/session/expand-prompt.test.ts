import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { writeConfig } from "../../bin/run-indus.ts";
import { printRun } from "./print-run.ts";

const shelf = fileURLToPath(new URL("../../../../../test/servers/shelf.mjs", import.meta.url));

verifies(
  "mentions:prompts",
  "indus -p takes prompts and resources of servers too",
  async () => {
    await using test = await printRun([{ text: "Read." }]);
    const file = await writeConfig(test.at("servers.json"), {
      shelf: { command: process.execPath, args: [shelf] },
    });
    const said = async (...words: string[]): Promise<string> => {
      const { code, err } = await test.indus(["-p", ...words]);
      return code === 0 ? JSON.stringify(test.server.requests.at(-1)) : `${code} ${err}`;
    };
    expect(await said("--mcp", file, "Summarise", "@shelf:shelf://page/7")).toContain("page 7");
    expect(await said("--mcp", file, "/shelf__greet")).toContain('1 indus: /shelf__greet: "who" is missing');
    expect(await said("--no-tools", "Look", "@shelf:x")).toContain("1 indus: @shelf:x cannot be attached");
  },
  { timeoutMs: 120_000 },
);
