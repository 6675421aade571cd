import { stripVTControlCharacters } from "node:util";
import { spentMs, verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { renderMarkdown } from "../../../src/screen/index.ts";
import { isMarkdown } from "../../../src/screen/markdown.ts";

const PAGE = `# The *notes* ##

Some **bold** and _slanted_ text with \`code *kept*\`, snake_case_name and 2*3*4.
See [the page](https://example.com/a), <https://example.com/b> and ![a picture](img.png).

- one
  * two with [](https://example.com/c)
> said

\`\`\`js
const a = "**kept**";
\`\`\`

| name | **count** |
|------|:-----:|
| first | 1 |
| second | 20 |
***
\\*not slanted\\* ~~gone~~`;

verifies("screen:markdown", "the marks of Markdown become plain text", () => {
  expect(renderMarkdown(PAGE, {}).split("\n")).toEqual([
    "The notes",
    "",
    "Some bold and slanted text with code *kept*, snake_case_name and 2*3*4.",
    "See the page (https://example.com/a), https://example.com/b and a picture (img.png).",
    "",
    "• one",
    "  • two with https://example.com/c",
    "│ said",
    "",
    '    const a = "**kept**";',
    "",
    "name    count",
    "first   1",
    "second  20",
    "─".repeat(40),
    "*not slanted* gone",
  ]);
});

verifies("screen:markdown", "colours add nothing but styles", () => {
  const painted = renderMarkdown(PAGE, { hasColours: true, width: 30 });
  expect(stripVTControlCharacters(painted)).toBe(renderMarkdown(PAGE, { width: 30 }));
  expect(painted).toContain("\u001b[1mThe notes\u001b[22m");
});

verifies("screen:markdown", "code may be inside of other marks", () => {
  const lines = [
    ["- **`a*b`**: text, *`c` d* and ~~`e`~~", "• a*b: text, c d and e"],
    ["[`x`](https://example.com/a) [`y`](`y`) `**` and **`z`", "x (https://example.com/a) y (y) ** and **z"],
  ] as const;
  for (const [line, shown] of lines) expect(renderMarkdown(line, {})).toBe(shown);
  expect(renderMarkdown("**a `b` c**", { hasColours: true })).toBe(
    "\u001b[1ma \u001b[36mb\u001b[39m c\u001b[22m",
  );
});

verifies("screen:markdown", "a table that is too wide is wrapped, and nothing of it is cut", () => {
  const table =
    "| a | 日本 | what |\n|---|---|---|\n| one \\| two | 語 | some words that are too long for it |\n| x | | |";
  expect(renderMarkdown(table, { width: 40 }).split("\n")).toEqual([
    "a          日本  what",
    "one | two  語    some words that are",
    "                 too long for it",
    "x",
  ]);
  expect(renderMarkdown(table, { width: 30 }).split("\n")).toEqual([
    "a: one | two",
    "日本: 語",
    "what: some words that are too long for it",
    "",
    "a: x",
  ]);
});

verifies("screen:markdown", "other texts are not taken for Markdown", () => {
  for (const text of [
    "# one\n\ntext",
    "a **b** c",
    "see [x](https://example.com)",
    "a|b\n---|---\n1|2",
    "```\nx\n```",
  ])
    expect(isMarkdown(text), text).toBe(true);
  for (const text of [
    "plain text\nwith lines",
    '{ "a": "**b**" }',
    "#!/bin/sh\n# a comment\necho 2**3",
    "<html># x\n\n</html>",
    "- a list\n- of lines",
    "a = b ** c ** d",
    "",
  ])
    expect(isMarkdown(text), text).toBe(false);
});

verifies("screen:markdown", "a text without marks stays as it is", () => {
  const plain = fc.stringMatching(/^[a-zA-Z0-9 .,;:()\n]{0,200}$/).filter((text) => !/^\s/m.test(text));
  fc.assert(fc.property(plain, (text) => renderMarkdown(text, {}) === text));
});

verifies("screen:markdown", "hostile lines take little time", async () => {
  const lines = ["`", "*", "_", "[", "- ", "#", "|", "~", "<http:", "**a", "|---", " "].map((mark) =>
    mark.repeat(50_000),
  );
  const fences = "```\na\n```\n".repeat(20_000);
  const text = [...lines, fences].join("\n");
  expect(await spentMs(() => [isMarkdown(text), renderMarkdown(text, {})])).toBeLessThan(3_000);
});
