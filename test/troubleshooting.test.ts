import { readdirSync } from "node:fs";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { readDocument, root } from "./kit/documents.ts";

const page = readDocument("docs/guide/troubleshooting.md");
const messages = [...page.matchAll(/^> `(.+)`$/gm)].map(([, message = ""]) => message);

/** The code of all packages, without the lines of comments and with quotes as they are printed. */
function sourceCode(): string {
  const files = ["indusagi", "induscode"].flatMap((name) =>
    readdirSync(`${root}packages/${name}/src`, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readDocument(`packages/${name}/src/${file}`)),
  );
  return files
    .join("\n")
    .replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "")
    .replaceAll('\\"', '"');
}

/** The parts of a message between its `…`. Parts without a word, such as `("`, are in any code. */
const partsOf = (message: string): readonly string[] =>
  message
    .split("…")
    .map((part) => part.trim())
    .filter((part) => /[a-z]{2}/.test(part));

verifies(
  "docs:troubleshooting",
  "every message that the page on troubleshooting quotes is in the code",
  () => {
    const code = sourceCode();
    expect(messages.length).toBeGreaterThan(19);
    for (const message of messages) expect(partsOf(message).join(" ").length, message).toBeGreaterThan(12);
    const missing = messages.flatMap((message) => partsOf(message).filter((part) => !code.includes(part)));
    expect(missing).toEqual([]);
  },
);

verifies("docs:troubleshooting", "every message is followed by what to do", () => {
  const entries = page.split(/^> /m).slice(1);
  expect(entries).toHaveLength(messages.length);
  expect(entries.filter((entry) => !entry.includes("**Do:** "))).toEqual([]);
});
