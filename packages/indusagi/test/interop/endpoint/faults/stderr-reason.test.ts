import { readFileSync } from "node:fs";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { stderrReason } from "../../../../src/interop/endpoint/faults/stderr-reason.ts";

/** What real programs printed, each after its name and the line that says why. Go, uvx and one of docker are from their sources. */
function samplesIn(file: string): readonly (readonly [name: string, reason: string, stderr: string])[] {
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  return text
    .split(/^=== /m)
    .slice(1)
    .map((sample) => {
      const [name = "", reason = "", ...lines] = sample.split("\n");
      return [name, reason.replace(/^--- /, ""), lines.join("\n")];
    });
}

for (const group of ["node", "npm", "python", "others"]) {
  verifies("diagnose:reason", `${group}: the line that says why is found in real output`, () => {
    const samples = samplesIn(`stderr-${group}.txt`);
    expect(samples.length).toBeGreaterThan(5);
    for (const [name, reason, stderr] of samples) {
      const found = stderrReason(stderr);
      expect(found.reason, name).toBe(reason);
      expect(found.lines, name).toContain(reason);
      expect(found.lines.length, name).toBeLessThanOrEqual(3);
    }
  });
}

const plain: readonly (readonly [stderr: string, lines: readonly string[]])[] = [
  ["", []],
  ["\n \n", []],
  ["starting\nloading\nlistening\nbye", ["loading", "listening", "bye"]],
  ["Missing API key: set FOO_API_KEY", ["Missing API key: set FOO_API_KEY"]],
  [
    "usage: srv [-h] DIR\n\n  DIR   required\n  -h    help",
    ["usage: srv [-h] DIR", "DIR   required", "-h    help"],
  ],
  ["\x1b[31mError: red\x1b[0m\n    at f (x.js:1:1)", ["Error: red"]],
  ["10%\r50%\rFailed to load", ["Failed to load"]],
  [
    '{"level":"error","msg":"no database"}\n{"level":"info","msg":"bye"}',
    ["no database", '{"level":"info","msg":"bye"}'],
  ],
  ["╭─ Error ─────╮\n│ No such option: --x │\n╰─────────────╯", ["No such option: --x"]],
  ["Fatal error:\n  the disk is full", ["Fatal error: the disk is full"]],
  ["Error: handled, going on\nready\nError: the last one", ["Error: the last one"]],
  [
    "(node:7) DeprecationWarning: failed to be new\nSecure Server running on stdio",
    ["(node:7) DeprecationWarning: failed to be new", "Secure Server running on stdio"],
  ],
];

verifies("diagnose:reason", "plain texts, usage, colours, progress, logs and boxes", () => {
  for (const [stderr, lines] of plain) expect(stderrReason(stderr).lines, stderr).toEqual(lines);
});

verifies(
  "diagnose:reason",
  "for any text: at most three short lines, all from the text, the reason among them",
  () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom(
        "Error: x",
        "    at f (a.js:1:2)",
        "npm error y",
        "Traceback (most recent call last):",
        "}",
        "[",
      ),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const found = stderrReason(lines.join("\n"));
        expect(found.lines.length).toBeLessThanOrEqual(3);
        for (const each of found.lines) expect(each.length).toBeLessThanOrEqual(300);
        expect(found.reason === "" ? found.lines.length === 0 : found.lines.includes(found.reason)).toBe(
          true,
        );
      }),
    );
  },
);

verifies("diagnose:reason", "output made to slow patterns down is read in a moment", () => {
  const startMs = performance.now();
  for (const piece of [
    "!",
    "a.",
    "at :1",
    "( ",
    "W ",
    "Error: [\n",
    "node:x:1\n",
    "npm error \n",
    "\r",
    "|",
    "{",
    "{}",
    ". ",
    "A_",
    "- A_B:\n",
    "please set ",
  ])
    stderrReason(piece.repeat(65_536 / piece.length));
  expect(performance.now() - startMs).toBeLessThan(5000);
});
