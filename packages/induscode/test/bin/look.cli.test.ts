import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { shelfRow } from "../commands/run-line.ts";
import { indusBin, startIndus, writeConfig } from "./run-indus.ts";

verifies("mcp-call:input", "arguments from standard input, and words that override them", async () => {
  await using dir = await tempDir();
  const file = await writeConfig(dir.at("servers.json"), { shelf: shelfRow() });
  const call = (input: string): ReturnType<typeof startIndus> => {
    const indus = startIndus(["mcp", "call", "shelf__add", "--args", "-", "level=3", "--mcp", file]);
    indus.child.stdin.end(input);
    return indus;
  };
  using good = call('{ "text": "é", "level": 2, "code": "ABC", "tags": [] }');
  using torn = call('{ "text"');
  expect(await good.ended).toBe(0);
  expect(JSON.parse(good.out())).toEqual({ text: "é", level: 3, code: "ABC", tags: [] });
  expect(await torn.ended).toBe(2);
  expect(torn.err()).toBe("indus: --args - needs one JSON object on standard input\n");
});

verifies(
  "mcp-look:pipe",
  "`indus mcp tools | head -1` ends without a message",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("servers.json"), { shelf: shelfRow() });
    const words = ["mcp", "tools", "--json", "--mcp", file].map((word) => `'${word}'`).join(" ");
    const env = { ...process.env, XDG_STATE_HOME: dir.at("state"), XDG_CONFIG_HOME: dir.at("config") };
    const line = `'${process.execPath}' '${indusBin}' ${words} | head -c 1`;
    const { stdout, stderr } = await promisify(execFile)("sh", ["-c", line], { env });
    expect({ stdout, stderr }).toEqual({ stdout: "[", stderr: "" });
  },
  { only: ["linux", "darwin"] },
);
