import { appendFileSync, closeSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import type { TranscriptEntry } from "indusagi/runtime";
import { readTranscript } from "induscode/conductor";
import { expect } from "vitest";
import { SessionState } from "../../../src/conductor/transcript/session-state.ts";
import { TranscriptFile } from "../../../src/conductor/transcript/transcript-file.ts";
import {
  formatTranscriptRecord,
  parseTranscriptRecord,
  type TranscriptRecord,
} from "../../../src/conductor/transcript/transcript-record.ts";

const user = (text: string): TranscriptEntry => ({ kind: "user", content: [{ kind: "text", text }] });
const TITLE: TranscriptRecord = { type: "session", version: 1, id: "S", at: 1, cwd: "/w" };
const report = (): void => {};

verifies(
  "session:transcript",
  "each record is in the file when append returns, also without a close",
  async () => {
    await using dir = await tempDir();
    const file = new TranscriptFile(dir.path, { report });
    file.append(TITLE);
    file.append({ type: "turn", at: 2 });
    file.append({ type: "entry", entry: user("Hello") });
    file.appendPartial("Half an ");
    file.appendPartial("answer");
    const { state, partial, problems } = readTranscript(dir.path);
    expect(state.entries).toEqual([user("Hello")]);
    expect(partial).toBe("Half an answer");
    expect(problems).toEqual([]);
    expect(statSync(dir.at("transcript.jsonl")).mode & 0o777).toBe(0o600);
    file.clearPartial();
    await file.close();
    expect(readTranscript(dir.path).partial).toBe("");
  },
);

verifies(
  "session:transcript",
  "a torn end is overwritten by the next session, a damaged line is left out and named",
  async () => {
    await using dir = await tempDir();
    const path = dir.at("transcript.jsonl");
    const lines = [TITLE, { type: "entry" as const, entry: user("one") }].map((record) =>
      formatTranscriptRecord(record, String),
    );
    writeFileSync(path, `${lines.join("")}{"type":"nonsense"}\n`);
    appendFileSync(path, '{"type":"entry","entry":{"kind":"us');
    const read = readTranscript(dir.path);
    expect(read.state.entries).toEqual([user("one")]);
    expect(read.problems).toEqual([`line 3 of ${path} is damaged and was skipped`]);
    const file = new TranscriptFile(dir.path, { report, goodBytes: read.goodBytes });
    file.append({ type: "entry", entry: user("two") });
    await file.close();
    expect(readTranscript(dir.path).state.entries).toEqual([user("one"), user("two")]);
    writeFileSync(path, "{}\n");
    expect(() => readTranscript(dir.path)).toThrow("is not a transcript of this version");
  },
);

verifies(
  "session:transcript",
  "what comes after the end is reported once, and no other file gets it",
  async () => {
    await using dir = await tempDir();
    const reports: string[] = [];
    const file = new TranscriptFile(dir.path, { report: (message) => void reports.push(message) });
    file.append(TITLE);
    expect(await file.flush()).toBe(true);
    await file.close();
    // They get the numbers of the files that were closed.
    const others = ["a", "b"].map((name) => openSync(dir.at(name), "w+"));
    file.append({ type: "entry", entry: user("lost") });
    file.append({ type: "entry", entry: user("lost too") });
    file.appendPartial("lost");
    for (const other of others) closeSync(other);
    expect(["a", "b"].map((name) => readFileSync(dir.at(name), "utf8"))).toEqual(["", ""]);
    expect(reports).toHaveLength(1);
    expect(reports[0]).toContain("cannot be written: it is closed");
  },
);

verifies("session:transcript", "what is formatted is parsed to the same record", () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue({ maxDepth: 2 }), (text, given) => {
      const entry = {
        kind: "tool" as const,
        id: text,
        name: "t",
        given,
        content: [{ kind: "text" as const, text }],
        isError: false,
      };
      const record: TranscriptRecord = { type: "entry", entry };
      const line = formatTranscriptRecord(record, (value) => value);
      expect(line.indexOf("\n")).toBe(line.length - 1);
      expect(parseTranscriptRecord(line)).toEqual(JSON.parse(JSON.stringify(record)));
    }),
    { numRuns: 50 },
  );
});

verifies("session:rewind", "a rewind of the conversation alone keeps the files of the turns it drops", () => {
  const state = new SessionState();
  const turn = (node: string): void => {
    state.apply({ type: "turn", at: 1, node });
    state.apply({ type: "entry", entry: user(node) });
  };
  for (const node of ["a", "b", "c"]) turn(node);
  state.apply({ type: "rewind", turn: 2, target: "conversation" });
  expect(state.turns).toHaveLength(1);
  expect(state.marks.map(({ node }) => node)).toEqual(["a", "b", "c"]);
  turn("d");
  state.apply({ type: "rewind", turn: 2, target: "files" });
  expect(state.turns).toHaveLength(2);
  expect(state.marks.map(({ node }) => node)).toEqual(["a", "b", "c"]);
  state.apply({ type: "rewind", turn: 1, target: "both" });
  expect(state).toMatchObject({ turns: [], marks: [], entries: [] });
});

verifies("session:transcript", "the file holds each line once", async () => {
  await using dir = await tempDir();
  const file = new TranscriptFile(dir.path, { report, redact: (text) => text.replaceAll("secret", "***") });
  file.append(TITLE);
  for (let index = 0; index < 50; index++) file.append({ type: "entry", entry: user(`secret ${index}`) });
  await file.close();
  const lines = readFileSync(dir.at("transcript.jsonl"), "utf8").trimEnd().split("\n");
  expect(lines).toHaveLength(51);
  expect(lines.join("")).not.toContain("secret");
});

verifies(
  "session:secrets",
  "a secret that arrives in pieces is not in the text of an unfinished answer",
  async () => {
    const secret = "hunter2-token-value-𝟚";
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(secret, "é漢🙂", "hunter2", "long ".repeat(500))),
        fc.integer({ min: 3, max: 40 }),
        async (parts, size) => {
          await using dir = await tempDir();
          const redact = (text: string): string => text.replaceAll(secret, "***");
          const file = new TranscriptFile(dir.path, { report, redact });
          const whole = parts.join(" ");
          for (let at = 0; at < whole.length; at += size) file.appendPartial(whole.slice(at, at + size));
          expect(readFileSync(dir.at("partial.txt"), "utf8")).toBe(Buffer.from(redact(whole)).toString());
          file.clearPartial();
          file.appendPartial("again");
          expect(readFileSync(dir.at("partial.txt"), "utf8")).toBe("again");
          await file.close();
        },
      ),
      { numRuns: 20 },
    );
  },
);
