import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import type { Terminal } from "../../src/boot/index.ts";
import { openRun } from "../../src/boot/internal.ts";
import { call } from "../../src/commands/call.ts";
import type { ServerSources } from "../../src/launch/internal.ts";
import { scriptedRow, writeConfig } from "../bin/run-indus.ts";

/** Runs `indus call` in this process and collects its output. */
async function runCall(
  tool: string,
  input: object,
  screen: Partial<Terminal> = {},
  sources: ServerSources = { mcp: [], run: [] },
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const texts = { out: "", err: "" };
  const terminal = {
    out: (text: string) => void (texts.out += text),
    err: (text: string) => void (texts.err += text),
    ...screen,
  };
  const given = Object.entries(input).map(([name, value]: [string, unknown]) => ({ name, value }));
  await using run = await openRun({ terminal, signal: new AbortController().signal });
  return { code: await call(run, { tool, given, sources, json: false, check: true }), ...texts };
}

verifies("command:on-screen", "control characters are escaped on a screen and kept elsewhere", async () => {
  // Below the current folder, which native tools do not leave.
  const folder = join("node_modules", ".cache", "indus");
  const path = join(folder, `odd-${process.pid}.txt`);
  await mkdir(folder, { recursive: true });
  await writeFile(path, "before\u001b[2Jafter\n");
  const plain = await runCall("read", { path });
  const screen = await runCall("read", { path }, { outIsScreen: true });
  await rm(path);
  expect([plain.code, screen.code]).toEqual([0, 0]);
  expect(plain.out).toContain("before\u001b[2Jafter\n");
  expect(screen.out).toMatch(/\n.*before\\x1b\[2Jafter\n$/);
});

verifies("command:on-screen", "control characters in an error are escaped too", async () => {
  const gone = await runCall("read", { path: "\u001b[2Jgone" });
  const surplus = await runCall("read", { path: "x", "\u001b[2J": 1 });
  expect([gone.code, surplus.code]).toEqual([1, 2]);
  expect(gone.err).toContain("[2Jgone");
  expect(gone.err + surplus.err).not.toContain("\u001b");
});

verifies("command:diff", "an edit is shown as a diff, with colours where the terminal has them", async () => {
  const folder = join("node_modules", ".cache", "indus");
  const path = join(folder, `edited-${process.pid}.txt`);
  await mkdir(folder, { recursive: true });
  const input = { path, oldText: "two", newText: "\u001b[2Jzwei" };
  const outs: string[] = [];
  for (const screen of [{}, { outIsScreen: true, outLook: { hasColours: true } }]) {
    await writeFile(path, "one\ntwo\nthree\n");
    const { code, out } = await runCall("edit", input, screen);
    expect(code).toBe(0);
    outs.push(out);
  }
  await rm(path);
  expect(outs[0]).toMatch(
    /^edited .*\n--- .*\n\+\+\+ .*\n@@ -1,3 \+1,3 @@\n one\n-two\n\+\u001b\[2Jzwei\n three\n$/,
  );
  expect(outs[1]).toContain("\n one\n\u001b[31m-two\u001b[39m\n\u001b[32m+\\x1b[2Jzwei\u001b[39m\n three\n");
  expect(outs[1]).toMatch(/^edited .*\n\u001b\[1m--- /);
});

verifies(
  "command:call-options",
  "a name with __ is a tool of a server, as far as --tools leaves it",
  async () => {
    await using dir = await tempDir();
    const mcp = [await writeConfig(dir.at("servers.json"), { s: scriptedRow() })];
    const [found, left] = await Promise.all([
      runCall("s__echo", { text: "hello" }, {}, { mcp, run: [] }),
      runCall("s__echo", { text: "hello" }, {}, { mcp, run: [], tools: ["s__ar*"] }),
    ]);
    expect(found).toEqual({ code: 0, out: "hello\n", err: "" });
    expect(left).toMatchObject({ code: 2, out: "", err: expect.stringContaining('no tool named "s__echo"') });
    const off = await runCall("read", { path: "package.json" }, {}, { mcp: [], run: [], noTools: true });
    expect(off.err).toContain('there is no tool named "read"');
  },
);
