import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { callTool } from "../../src/commands/call-tool.ts";

verifies(
  "command:on-screen",
  "on a screen control characters are written out, elsewhere they stay",
  async () => {
    // Below the current folder, which native tools do not leave.
    const folder = join("node_modules", ".cache", "indus");
    const path = join(folder, `odd-${process.pid}.txt`);
    await mkdir(folder, { recursive: true });
    await writeFile(path, "before\u001b[2Jafter\n");
    const shown = async (outIsScreen: boolean): Promise<string> => {
      let said = "";
      const terminal = { out: (text: string) => void (said += text), err: () => {}, outIsScreen };
      const request = { tool: "read", input: { path } };
      expect(await callTool(terminal, request, new AbortController().signal)).toBe(0);
      return said;
    };
    const [plain, onScreen] = [await shown(false), await shown(true)];
    await rm(path);
    expect(plain).toContain("before\u001b[2Jafter\n");
    expect(onScreen).toMatch(/\n.*before\\x1b\[2Jafter\n$/);
  },
);

verifies("command:on-screen", "a failure cannot move the cursor either", async () => {
  let said = "";
  const terminal = { out: () => {}, err: (text: string) => void (said += text) };
  const { signal } = new AbortController();
  expect(await callTool(terminal, { tool: "read", input: { path: "\u001b[2Jgone" } }, signal)).toBe(1);
  expect(await callTool(terminal, { tool: "read", input: { "\u001b[2J": 1 } }, signal)).toBe(1);
  expect(said).toContain("[2Jgone");
  expect(said).not.toContain("\u001b");
});
