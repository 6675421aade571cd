import { atSize, tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { findTool, grepTool } from "indusagi/capabilities";
import { expect } from "vitest";
import { linearLine, lineExpression } from "../../../src/capabilities/search/pattern/line-expression.ts";
import { parseLinePattern } from "../../../src/capabilities/search/pattern/line-pattern.ts";
import { type GrepJob, SEARCH_LIMITS } from "../../../src/capabilities/search/search-job.ts";
import { runSearchWorker } from "../../../src/capabilities/search/walk/run-search-worker.ts";
import { contextIn, memoryFs, runTool, writeTree } from "./fixture.ts";

// The limits are in processor time, of which a busy machine gives little.
const grep = grepTool({ ripgrepPath: false, deadlineMs: 240_000 });
const LONG = "a".repeat(60);
const TEXTS = {
  "a.txt": `${LONG}!\nxx ${LONG}\nplain\r\n${LONG}\r\n`,
  "b.txt": `é${LONG}!\n${LONG}é\n${LONG}\rz\n`,
};

verifies(
  "grep:hostile-pattern",
  "a pattern that backtracks without end has the same result as with ripgrep",
  async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, TEXTS);
    const ctx = contextIn(dir.path);
    for (const [pattern, flags] of [
      ["(a+)+$", ""],
      ["^(a|aa)+$", ""],
      ["(A|AA)+$", "i"],
      ["^(\\w+\\s?)+$", ""],
      ["(\\w|a)+é$", ""],
      ["(a+)+", "w"],
      ["(a*)*[^a]$", ""],
    ] as const) {
      const expected = await runTool(grepTool(), { pattern, flags }, ctx);
      expect(expected.isError, pattern).toBe(false);
      expect({ pattern, ...(await runTool(grep, { pattern, flags }, ctx)) }).toEqual({
        pattern,
        ...expected,
      });
    }
    // Lines that are not ASCII are left to the backtracking engine if the pattern has a word boundary.
    const input = { pattern: "\\b(a+)+$", path: "a.txt" };
    expect(await runTool(grep, input, ctx)).toEqual(await runTool(grepTool(), input, ctx));
  },
  { timeoutMs: 240_000 },
);

verifies(
  "grep:hostile-pattern",
  "one that the linear engine cannot express fails after a limited processor time, with advice",
  async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, TEXTS);
    const remote = { ...contextIn("/m"), fs: memoryFs({ "/m/a.txt": TEXTS["a.txt"] }) };
    // Together: each takes all of its time.
    const answers = await Promise.all([
      runTool(grep, { pattern: "^(?=(a+)+$)" }, contextIn(dir.path)),
      runTool(grep, { pattern: "^(a+)+\\1[!?]{2}$" }, remote),
    ]);
    for (const answer of answers)
      expect(answer).toEqual({
        text:
          "grep: matching took more than 2 s of processor time; use a simpler pattern: no lookarounds, " +
          "back-references or repetitions inside repetitions",
        isError: true,
      });
  },
  { timeoutMs: 240_000 },
);

verifies(
  "find:hostile-pattern",
  "a glob that backtracks without end finds the right names",
  async () => {
    await using dir = await tempDir();
    const name = "a".repeat(200);
    await writeTree(dir.path, { [name]: "", [`${name}b`]: "", [`x/${name}`]: "", [`x/y/${name}B`]: "" });
    const stars = "*a".repeat(12);
    const ctx = contextIn(dir.path);
    const found = async (query: string): Promise<string> =>
      (await runTool(findTool({ deadlineMs: 240_000 }), { query }, ctx)).text;
    expect(await found(`${stars}*b`)).toBe(`${name}b\nx/y/${name}B`);
    expect(await found(`**/${stars}*b`)).toBe(`${name}b\nx/y/${name}B`);
    expect(await found(`x/**/${stars}*b`)).toBe(`x/y/${name}B`);
    expect(await found(`${stars}*c`)).toBe(`Nothing named "${stars}*c" in the working folder.`);
  },
  { timeoutMs: 240_000 },
);

const ATOMS = String.raw`foo o é É s k \w \W \d \D \s \S . [a-f] [^o] [^o\s] [\w-] \b \B ^ $ \. \( \\ \- [.] \x{e9} \p{Lu} []_] 😀 ] } \t`;
const atom = fc.constantFrom(...ATOMS.split(" "), " ");
const part = fc
  .tuple(atom, fc.constantFrom("", "", "*", "+", "?", "{2}", "*?"))
  .map(([what, often]) => (/^(\\b|\^|\$)$/i.test(what) ? what : what + often));
const pattern = fc
  .array(
    fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
    { minLength: 1, maxLength: 2 },
  )
  .map((branches) => (branches.length === 1 ? branches.join("") : `(${branches.join("|")})`));
const PIECES = [
  ..."foFOr_1é ſK-.(\\\t\u00a0\u2028\u200d\u0301".split(""),
  "😀",
  "ß",
  "٣",
  "\n",
  "\n",
  "\r\n",
  "\r",
];
const content = fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map((pieces) => pieces.join(""));

verifies(
  "grep:hostile-pattern",
  "the linear engine finds the same lines as JavaScript's",
  async () => {
    await using dir = await tempDir();
    const numRuns = atSize({ quick: 80, full: 3000 });
    let compared = 0;
    const { signal } = new AbortController();
    const root = { path: dir.path, rulesFrom: dir.path, isFile: false };
    await fc.assert(
      fc.asyncProperty(
        pattern,
        fc.constantFrom("", "i", "w", "iw"),
        content,
        async (text, flags, written) => {
          await writeTree(dir.path, {
            f: Buffer.concat([Buffer.from(written), Buffer.from([0xff, 10, 0x66])]),
          });
          const parsed = parseLinePattern(text, flags);
          const linear = await linearLine(parsed);
          if (!linear) return;
          compared += 1;
          const job: GrepJob = {
            kind: "grep",
            root,
            expression: lineExpression(parsed),
            cap: 100,
            limits: SEARCH_LIMITS,
          };
          const answer = await runSearchWorker(
            { ...job, expression: { ...job.expression, linear } },
            { signal },
          );
          expect(answer).toEqual(await runSearchWorker(job, { signal }));
        },
      ),
      {
        numRuns,
        // Empty matches between a carriage return and its line feed.
        examples: [
          ["\\B", "", "f\r\n"],
          [" *?", "w", "f\r\n"],
          ["^$", "", "f\r\n"],
        ],
      },
    );
    expect(compared).toBeGreaterThan(numRuns / 2);
  },
  { timeoutMs: atSize({ quick: 60_000, full: 600_000 }) },
);
