import { readFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { readCommand } from "../../../src/core/internal.ts";
import { isAlive } from "../process-tree/tree-shapes.ts";

const LIMITS = { env: {}, timeoutMs: 30_000, maxBytes: 1000 };
const node = (script: string, ...args: readonly string[]): string[] => [
  process.execPath,
  "-e",
  script,
  ...args,
];

verifies(
  "env:read-command",
  "the output of a program is returned; no shell reads its arguments",
  async () => {
    const script = "process.stdout.write(process.argv[1]); console.error('noise')";
    expect(await readCommand(node(script, "$(id) `x` é\n"), LIMITS)).toEqual({ text: "$(id) `x` é\n" });
  },
);

verifies("env:read-command", "every failure is a clause without the output", async () => {
  const cases = [
    [node("console.log('hush'); process.exit(3)"), "failed (exit code 3)"],
    [node("process.stdout.write('hush'.repeat(300))"), "wrote more than 1000 bytes"],
    [node("process.stdout.write(Buffer.from([0xff]))"), "wrote something that is not UTF-8 text"],
    [["/no/such/program"], "cannot be started (ENOENT)"],
  ] as const;
  for (const [command, problem] of cases) expect(await readCommand(command, LIMITS)).toEqual({ problem });
});

verifies(
  "env:read-command",
  "a command that writes too much is ended with its whole tree",
  async () => {
    await using dir = await tempDir();
    const sleeper =
      "require('fs').writeFileSync(process.argv[1], String(process.pid)); setInterval(() => {}, 1000)";
    const script = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(sleeper)}, process.argv[1]]);
    setInterval(() => { if (require('fs').existsSync(process.argv[1])) process.stdout.write('x'.repeat(100)); }, 20)`;
    // The output passes its limit only once the grandchild runs.
    expect(await readCommand(node(script, dir.at("pid")), LIMITS)).toEqual({
      problem: "wrote more than 1000 bytes",
    });
    expect(isAlive(Number(readFileSync(dir.at("pid"), "utf8")))).toBe(false);
  },
  { only: ["linux"] },
);

verifies("env:read-command", "a command that takes too long is ended", async () => {
  const late = { ...LIMITS, timeoutMs: 50 };
  expect(await readCommand(node("setInterval(() => {}, 1000)"), late)).toEqual({
    problem: "did not end within 50 ms",
  });
});

verifies("env:read-command", "an abort ends the command and rejects with its reason", async () => {
  const abort = new AbortController();
  const reason = new Error("enough");
  const reading = readCommand(node("setInterval(() => {}, 1000)"), { ...LIMITS, signal: abort.signal });
  setTimeout(() => abort.abort(reason), 50);
  await expect(reading).rejects.toBe(reason);
});
