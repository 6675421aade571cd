import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import type { SessionEvent } from "../../../src/conductor/index.ts";
import { eventually } from "../../bin/run-indus.ts";
import { calling, printRun } from "../../commands/session/print-run.ts";
import type { ScriptedAnswer } from "../../models/wire/script.ts";
import { openTestSession } from "./open-test-session.ts";

/** Against a hang: on a busy machine the first test loads everything. */
const LIMIT_MS = 60_000;

const endOf = (events: readonly SessionEvent[]): string => {
  const last = events.at(-1);
  return last?.kind === "end" ? last.reason : "";
};

const FAILURES: readonly (readonly [name: string, answer: ScriptedAnswer, end: string])[] = [
  ["a wrong key", { status: 401 }, "failed"],
  ["a request that the vendor refuses", { status: 400 }, "failed"],
  ["an abort before the answer", { text: "Never.", hangAfter: 0 }, "aborted"],
  ["an abort while it reasons", { reasoning: "Hm. Hm. Hm. Hm.", text: "No.", hangAfter: 0.3 }, "aborted"],
];

for (const [name, failing, end] of FAILURES)
  verifies(
    "session:unanswered",
    `${name}: the prompt is in no later request, in this session and when it is resumed`,
    async () => {
      await using test = await printRun([{ text: "One." }, failing, { text: "Two." }, { text: "Three." }]);
      const lastRequest = (): string => JSON.stringify(test.server.requests.at(-1)?.["messages"]);
      {
        await using run = await test.run();
        const { session, turn } = await openTestSession(run);
        await turn("The first.");
        const stop = new AbortController();
        const failed = turn("The lost one.", stop.signal);
        await eventually(() => test.server.requests.length === 2 || undefined, LIMIT_MS);
        if (end === "aborted") stop.abort();
        expect(endOf(await failed)).toBe(end);
        expect(lastRequest()).toContain("The lost one.");
        expect(session.turns().map(({ text }) => text)).toEqual(["The first."]);
        expect(JSON.stringify(session.transcript())).not.toContain("The lost one.");
        expect(endOf(await turn("The second."))).toBe("stop");
        expect(lastRequest()).toMatch(/The first\..*One\..*The second\./);
        expect(lastRequest()).not.toContain("The lost one.");
        expect(session.exportMarkdown()).not.toContain("The lost one.");
      }
      await using run = await test.run();
      const { session, turn } = await openTestSession(run, { line: { continue: true } });
      expect(session.turns().map(({ text }) => text)).toEqual(["The first.", "The second."]);
      expect(endOf(await turn("The third."))).toBe("stop");
      expect(lastRequest()).toMatch(/The first\..*One\..*The second\..*Two\..*The third\./);
      expect(lastRequest()).not.toContain("The lost one.");
    },
    { timeoutMs: LIMIT_MS },
  );

verifies(
  "session:unanswered",
  "a prompt with the beginning of an answer, or with a call that ran, stays",
  async () => {
    await using test = await printRun(
      [
        { text: "The beginning of an answer that hangs", hangAfter: 0.7 },
        calling(["read", { path: "a.txt" }]),
        { status: 400 },
        { text: "done" },
      ],
      { "a.txt": "some text\n" },
    );
    await using run = await test.run();
    const { session, turn } = await openTestSession(run);
    const stop = new AbortController();
    for await (const event of session.send("Half answered.", { signal: stop.signal }))
      if (event.kind === "text_delta") stop.abort();
    expect(endOf(await turn("Read it."))).toBe("failed");
    await turn("And now?");
    const last = JSON.stringify(test.server.requests.at(-1)?.["messages"]);
    expect(last).toMatch(/Half answered\..*"assistant".*Read it\..*some text.*And now\?/);
    expect(session.turns()).toHaveLength(3);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:unanswered",
  "a transcript that ends with a failed prompt, as a killed program or an earlier version leaves it, continues without it",
  async () => {
    await using test = await printRun([{ text: "One." }, { status: 400 }, { text: "Two." }]);
    await test.indus(["-p", "The first."]);
    await test.indus(["-p", "--continue", "The lost one."]);
    const files = readdirSync(test.at("state"), { recursive: true, encoding: "utf8" });
    const path = test.at("state", files.find((name) => name.endsWith("transcript.jsonl")) ?? "");
    const lines = readFileSync(path, "utf8").split("\n");
    expect(lines.filter((line) => line.includes('"rewind"'))).toHaveLength(1);
    writeFileSync(path, lines.filter((line) => !line.includes('"rewind"')).join("\n"));
    await test.indus(["-p", "--continue", "The second."]);
    const last = JSON.stringify(test.server.requests.at(-1)?.["messages"]);
    expect(last).toMatch(/The first\..*One\..*The second\./);
    expect(last).not.toContain("The lost one.");
  },
  { timeoutMs: LIMIT_MS },
);
