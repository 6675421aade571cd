import { appendFileSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openPromptHistory } from "../../../../src/front/repl/index.ts";

verifies(
  "repl:history",
  "prompts are kept for later sessions in a file that only the owner can read",
  async () => {
    await using dir = await tempDir();
    const file = dir.at("prompts");
    const report = (message: string): never => {
      throw new Error(message);
    };
    const first = openPromptHistory(file, { report });
    first.add("one");
    first.add("two\nlines");
    first.add("two\nlines");
    first.add("  ");
    expect(first.entries()).toEqual(["one", "two\nlines"]);
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
    // Another process was cut off while it wrote.
    appendFileSync(file, '"half\n"three"\n');
    expect(openPromptHistory(file, { report }).entries()).toEqual(["one", "two\nlines", "three"]);
    const short = openPromptHistory(file, { report, maxEntries: 1 });
    expect(short.entries()).toEqual(["three"]);
    expect(readFileSync(file, "utf8")).toBe('"three"\n');
  },
);

verifies("repl:history", "a file that cannot be used is reported once, and the session goes on", async () => {
  await using dir = await tempDir();
  const reports: string[] = [];
  mkdirSync(dir.at("prompts"));
  const history = openPromptHistory(dir.at("prompts"), { report: (message) => reports.push(message) });
  history.add("one");
  history.add("two");
  expect(history.entries()).toEqual(["one", "two"]);
  expect(reports).toHaveLength(1);
});
