import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openRun } from "../../src/boot/internal.ts";
import { call, type ToolRequest } from "../../src/commands/call.ts";

/** Runs `indus call` in this process and collects its output. */
async function runCall(
  request: ToolRequest,
  outIsScreen = false,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const texts = { out: "", err: "" };
  const terminal = {
    out: (text: string) => void (texts.out += text),
    err: (text: string) => void (texts.err += text),
    outIsScreen,
  };
  await using run = await openRun({ terminal, signal: new AbortController().signal });
  return { code: await call(run, request), ...texts };
}

verifies("command:on-screen", "control characters are escaped on a screen and kept elsewhere", async () => {
  // Below the current folder, which native tools do not leave.
  const folder = join("node_modules", ".cache", "indus");
  const path = join(folder, `odd-${process.pid}.txt`);
  await mkdir(folder, { recursive: true });
  await writeFile(path, "before\u001b[2Jafter\n");
  const request = { tool: "read", input: { path } };
  const [plain, screen] = [await runCall(request), await runCall(request, true)];
  await rm(path);
  expect([plain.code, screen.code]).toEqual([0, 0]);
  expect(plain.out).toContain("before\u001b[2Jafter\n");
  expect(screen.out).toMatch(/\n.*before\\x1b\[2Jafter\n$/);
});

verifies("command:on-screen", "control characters in an error are escaped too", async () => {
  const gone = await runCall({ tool: "read", input: { path: "\u001b[2Jgone" } });
  const surplus = await runCall({ tool: "read", input: { "\u001b[2J": 1 } });
  expect([gone.code, surplus.code]).toEqual([1, 1]);
  expect(gone.err).toContain("[2Jgone");
  expect(gone.err + surplus.err).not.toContain("\u001b");
});
