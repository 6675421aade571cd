import { readFileSync } from "node:fs";
import { verifies } from "@indus/testkit";
import TurndownService from "turndown";
import { expect } from "vitest";
import { decodePage, decodePageInSlices } from "../../../src/capabilities/web/fetch/decode-page.ts";
import { markdownTables } from "../../../src/capabilities/web/html/markdown-tables.ts";
import { tidyHtml } from "../../../src/capabilities/web/html/tidy-html.ts";
import { convertTidyPage, tidyToMarkdown } from "../../../src/capabilities/web/html/tidy-to-markdown.ts";
import { inSlices, showPage } from "../../../src/capabilities/web/run-web-fetch.ts";
import { cleanText } from "../../../src/capabilities/web/untrusted-text.ts";
import { textOf } from "./web-context.ts";

const MAX_BYTES = 5 * 1024 * 1024;

/** A body of the largest size that webfetch accepts. */
function largest(part: (at: number) => string, before = "", after = ""): Buffer {
  const parts = [before];
  for (let at = 0, length = 0; length < MAX_BYTES; at++) {
    const next = part(at);
    parts.push(next);
    length += next.length;
  }
  return Buffer.from(parts.join("").slice(0, MAX_BYTES - after.length) + after);
}

const words = "lorem ipsum dolor ".repeat(6);
const PAGES: { readonly [name: string]: { readonly type: string; readonly bytes: () => Buffer } } = {
  "a page of sections": {
    type: "text/html",
    bytes: () =>
      largest(
        (at) => `<div><h2>S ${at}</h2><p>${words}<a href="/${at}">l</a></p><ul><li>one<li>two</ul></div>`,
      ),
  },
  "one list": { type: "text/html", bytes: () => largest((at) => `<li>item ${at}</li>`, "<ul>") },
  "one table": { type: "text/html", bytes: () => largest((at) => `<tr><td>${at}<td>b`, "<table>") },
  "one code block": { type: "text/html", bytes: () => largest((at) => `line ${at} &lt;\n`, "<pre>") },
  "one paragraph": { type: "text/html", bytes: () => largest(() => words, "<p>") },
  "plain text": { type: "text/plain", bytes: () => largest((at) => `line ${at} é\r\n`) },
};

/** The processor time of this thread, in milliseconds: unlike a clock it does not run while other programs do. */
function threadMs(): number {
  return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
}

/** The longest processor time of this thread between two turns of its event loop. */
async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = threadMs();
  let isDone = false;
  const look = (): void => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = threadMs();
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isDone = true;
  look();
  return longest;
}

for (const [name, { type, bytes }] of Object.entries(PAGES)) {
  verifies(
    "web:no-stall",
    `the largest page is shown without a stall over 10 ms: ${name}`,
    async () => {
      const page = { url: new URL("https://site.test/"), status: 200, contentType: type, bytes: bytes() };
      const show = () =>
        showPage(page, { budget: { kind: "head", maxBytes: 64 * 1024 }, maxBytes: MAX_BYTES });
      // A collection of garbage, or a program that takes the processor's cache, may fall into any run, but not into each.
      let longestMs = Number.POSITIVE_INFINITY;
      for (let run = 0; run < 20 && longestMs >= 10; run++)
        longestMs = Math.min(
          longestMs,
          await longestTurnMs(async () => expect(textOf(await show()).length).toBeGreaterThan(60_000)),
        );
      expect(longestMs).toBeLessThan(10);
    },
    { only: ["linux"], timeoutMs: 120_000 },
  );
}

verifies("web:no-stall", "the worker converts a page as this thread does", async () => {
  const { html } = await tidyHtml(
    "<h1>T</h1><ul><li>a<ol start=3><li>b</ol></ul><table><tr><th>a<th>b<tr><td>1|2<td></table><pre>x```y</pre><code>`c</code>",
    { baseUrl: "https://site.test/", keepChrome: true },
  );
  const here = convertTidyPage(html, TurndownService, markdownTables);
  expect(here).toContain("3. b");
  expect(await Promise.all([tidyToMarkdown(html), tidyToMarkdown(html)])).toEqual([here, here]);
});

verifies("web:no-stall", "decoding and cleaning in slices changes nothing", async () => {
  for (const unit of ["é", "€", "😀", "\r\n", "a\r", "\ufeffx"]) {
    for (let shift = 0; shift < 4; shift++) {
      const text = `${"a".repeat(shift)}${unit.repeat(200_000)}`;
      const bytes = Buffer.from(text);
      expect((await decodePageInSlices(bytes, "text/html")) === decodePage(bytes, "text/html")).toBe(true);
      expect((await inSlices(text, cleanText)) === cleanText(text)).toBe(true);
    }
  }
});
