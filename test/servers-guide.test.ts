import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { runIndus } from "../packages/induscode/test/bin/run-indus.ts";
import { codeBlocks, readDocument, root } from "./kit/documents.ts";

/** Times and counts differ from machine to machine. */
const steady = (text: string): string =>
  text.replaceAll(/after (?:\d+ ms|\d+(?:\.\d)? s)/g, "after N s").replaceAll(/ (?=\n|$)/g, "");

verifies(
  "docs:servers-guide",
  "the commands of servers.md run in order and print what the page shows",
  async () => {
    await using dir = await tempDir();
    symlinkSync(`${root}packages`, dir.at("packages"));
    mkdirSync(dir.at(".indusvx"));
    const env = {
      HOME: dir.at("home"),
      XDG_STATE_HOME: dir.at("state"),
      XDG_CONFIG_HOME: dir.at("config"),
      PATH: `${fileURLToPath(new URL(".", `file://${process.execPath}`))}:${process.env["PATH"]}`,
    };
    let printed = "";
    let count = 0;
    for (const { language, body } of codeBlocks(readDocument("docs/guide/servers.md"))) {
      const lines = body.trimEnd().split("\n");
      if (language === "json") writeFileSync(dir.at(".indusvx/mcp.json"), body);
      if (language === "text") for (const line of lines) expect(steady(printed)).toContain(steady(line));
      if (language !== "sh") continue;
      printed = "";
      for (const line of lines) {
        const [command = "", comment = ""] = line.split(/\s+# /);
        const expected = Number(/exit code (\d)/.exec(comment)?.[1] ?? 0);
        const { code, out, err } = await runIndus(command.trim().split(/\s+/).slice(2), {
          cwd: dir.path,
          env,
        });
        expect({ line, code, err }).toEqual({ line, code: expected, err: "" });
        printed += out.replaceAll(`${dir.path}/`, "");
        count++;
      }
    }
    expect(count).toBeGreaterThan(8);
  },
  { only: ["linux", "darwin"], timeoutMs: 120_000 },
);
