import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { eventually, runIndus, startIndus, writeConfig } from "./run-indus.ts";

const leaky = fileURLToPath(new URL("../../../indusagi/test/interop/kit/leaky-server.mjs", import.meta.url));
const FROM_ROW = "row-Zx9/horse+battery";
const FROM_FILE = "file-Zx9/horse+battery";

/** A server that shows a secret from its row, one that shows a secret from a file, and one that is connected. */
async function leakyConfig(dir: { at(name: string): string }): Promise<string> {
  await writeFile(dir.at("secrets.env"), `LEAK=${FROM_FILE}\n`);
  const row = (...flags: string[]): object => ({ command: process.execPath, args: [leaky, ...flags] });
  return writeConfig(dir.at("servers.json"), {
    dead: { ...row("--die"), env: { LEAK: FROM_ROW } },
    filed: { ...row("--die"), envFile: dir.at("secrets.env") },
    noisy: { ...row("--garbage", "--bad-list"), env: { LEAK: FROM_ROW } },
    good: { ...row(), env: { LEAK: FROM_ROW } },
  });
}

function expectClean(text: string): void {
  for (const secret of [FROM_ROW, FROM_FILE])
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(`me:${secret}`).toString("base64")])
      expect(text).not.toContain(form);
}

verifies("secrets:command", "mcp list as a table and as JSON", async () => {
  await using dir = await tempDir();
  const file = await leakyConfig(dir);
  const [table, json] = await Promise.all([
    runIndus(["mcp", "list", "--mcp", file]),
    runIndus(["mcp", "list", "--mcp", file, "--json"]),
  ]);
  for (const { out, err, code } of [table, json]) {
    expect(code).toBe(0);
    for (const line of ["refused: [redacted]", "no tools for [redacted]"]) expect(out).toContain(line);
    expectClean(`${out}${err}`);
  }
});

verifies("secrets:command", "mcp call: a refused call is redacted, a result is not", async () => {
  await using dir = await tempDir();
  const file = await leakyConfig(dir);
  const [refused, died, result] = await Promise.all(
    ["refuse", "die", "result"].map((tool) => runIndus(["mcp", "call", `good__${tool}`, "--mcp", file])),
  );
  expect(refused?.err).toContain("bad login [redacted]");
  expect(died?.err).toContain("[redacted]");
  expectClean(`${refused?.out}${refused?.err}${died?.out}${died?.err}`);
  expect(result?.out).toBe(`${FROM_ROW}\n`);
});

verifies("secrets:command", "the log of serve", async () => {
  await using dir = await tempDir();
  const file = await leakyConfig(dir);
  using indus = startIndus(["serve", "--stdio", "--mcp", file, "--cwd", dir.path]);
  const shown = (name: string): boolean => new RegExp(`^${name} .*\\[redacted\\]`, "m").test(indus.err());
  await eventually(() => (shown("dead") && shown("filed")) || undefined);
  indus.child.stdin.end();
  await indus.ended;
  expectClean(`${indus.out()}${indus.err()}`);
});
