import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import type { TranscriptEntry } from "indusagi/runtime";
import { readTranscript } from "induscode/conductor";
import { expect } from "vitest";
import { SessionState } from "../../../src/conductor/transcript/session-state.ts";
import { TranscriptFile } from "../../../src/conductor/transcript/transcript-file.ts";
import {
  formatRecord,
  parseRecord,
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
      formatRecord(record, String),
    );
    writeFileSync(path, `${lines.join("")}{"type":"nonsense"}\n`);
    appendFileSync(path, '{"type":"entry","entry":{"kind":"us');
    const read = readTranscript(dir.path);
    expect(read.state.entries).toEqual([user("one")]);
    expect(read.problems).toEqual([`line 3 of ${path} is damaged and was left out`]);
    const file = new TranscriptFile(dir.path, { report, goodBytes: read.goodBytes });
    file.append({ type: "entry", entry: user("two") });
    await file.close();
    expect(readTranscript(dir.path).state.entries).toEqual([user("one"), user("two")]);
    writeFileSync(path, "{}\n");
    expect(() => readTranscript(dir.path)).toThrow("does not begin as a transcript of this version does");
  },
);

verifies(
  "session:transcript",
  "a disk that refuses is reported once, and gets what is missing in order",
  async () => {
    await using dir = await tempDir();
    const reports: string[] = [];
    const file = new TranscriptFile(dir.path, { report: (message) => void reports.push(message) });
    file.append(TITLE);
    expect(await file.flush()).toBe(true);
    await file.close();
    // A closed file refuses like a full disk.
    file.append({ type: "entry", entry: user("lost") });
    file.append({ type: "entry", entry: user("lost too") });
    expect(reports).toHaveLength(1);
    expect(reports[0]).toContain("the session goes on without it until that is possible again");
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
      const line = formatRecord(record, (value) => value);
      expect(line.indexOf("\n")).toBe(line.length - 1);
      expect(parseRecord(line)).toEqual(JSON.parse(JSON.stringify(record)));
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
