import { writeFileSync } from "node:fs";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import type { SessionApproval } from "../../../src/conductor/index.ts";
import { calling, printRun } from "../../commands/session/print-run.ts";
import { answersIn, openTestSession, testUser } from "./open-test-session.ts";

/** Against a hang: on a busy machine the first test loads everything. */
const LIMIT_MS = 60_000;

verifies(
  "session:failing-edit",
  "an edit or write that would fail is answered by its tool's own words, and nobody is asked; others are asked for",
  async () => {
    const edit = (path: string, oldText: string, newText = "x"): readonly [string, unknown] => [
      "edit",
      { path, oldText, newText },
    ];
    await using test = await printRun(
      [
        calling(
          edit("a.txt", "one"), // Not read yet.
          ["write", { path: "a.txt", content: "whole\n" }],
          edit("missing.txt", "one"),
        ),
        calling(["read", { path: "a.txt" }]),
        calling(
          edit("a.txt", "absent"),
          edit("a.txt", "same", "same"),
          edit("a.txt", "twice"),
          ["edit", { path: "a.txt", newText: "x" }],
          edit("../outside.txt", "one"),
          edit("a.txt", "one", "two"),
        ),
        { text: "done" },
      ],
      { "a.txt": "one\ntwice\ntwice\n" },
    );
    writeFileSync(test.at("outside.txt"), "one secret\n");
    const asked: SessionApproval[] = [];
    const user = testUser({
      approve: async (question) => {
        asked.push(question);
        return { allow: true };
      },
    });
    await using run = await test.run();
    const { turn } = await openTestSession(run, { user });
    const answers = answersIn(await turn("Go"));
    expect(answers[0]).toContain("has not been read in this session");
    expect(answers[1]).toContain("write: a.txt has not been read in this session");
    expect(answers[2]).toContain("missing.txt");
    expect(answers[4]).toContain("edit: oldText is not in a.txt");
    expect(answers[5]).toContain("are the same");
    expect(answers[6]).toContain("lines 2, 3");
    expect(answers[7]).toContain("oldText");
    expect(answers[8]).not.toContain("secret");
    // A path outside is asked for as before: whether it can be edited is nothing the model may learn unasked.
    expect(asked.map(({ call }) => (call.input as { readonly path: string }).path)).toEqual([
      "../outside.txt",
      "a.txt",
    ]);
    expect(asked[1]?.preview).toMatchObject({ kind: "diff", isNew: false });
    expect(test.read("a.txt")).toBe("two\ntwice\ntwice\n");
  },
  { timeoutMs: LIMIT_MS },
);
