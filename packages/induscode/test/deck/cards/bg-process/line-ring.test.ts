import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { MAX_BUFFERED_LINES } from "induscode/deck";
import { expect } from "vitest";
import { LineRing, STREAM_START } from "../../../../src/deck/cards/bg-process/line-ring.ts";

verifies("cards:bg-lines", "parts read at any moments join to the whole stream", () => {
  const chunk = fc.array(fc.constantFrom("a", "bc", "\n", "\r\n", "✓", ""), { maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.tuple(chunk, fc.boolean()), { maxLength: 30 }), (steps) => {
      const ring = new LineRing();
      let cursor = STREAM_START;
      let joined = "";
      const take = (): void => {
        const { text, skippedLines, next } = ring.read(cursor);
        expect(skippedLines).toBe(0);
        joined += text;
        cursor = next;
      };
      for (const [parts, reads] of steps) {
        ring.push(parts.join(""));
        if (reads) take();
      }
      take();
      const whole = steps.map(([parts]) => parts.join("")).join("");
      expect(joined).toBe(whole);
      expect(ring.read().text).toBe(whole);
      expect(ring.read(cursor).text).toBe("");
    }),
  );
});

verifies("cards:bg-lines", "the last 2000 lines are kept, and the others are counted", () => {
  expect(MAX_BUFFERED_LINES).toBe(2_000);
  const ring = new LineRing();
  const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`);
  ring.push(lines.join(""));
  ring.push("open");
  const all = ring.read();
  expect(all.text).toBe(`${lines.slice(3_000).join("")}open`);
  expect(all.skippedLines).toBe(3_000);
  ring.push("ed\n");
  expect(ring.read(all.next)).toMatchObject({ text: "ed\n", skippedLines: 0 });
  const [seen] = [ring.read().next];
  ring.push(lines.join(""));
  expect(ring.read(seen)).toMatchObject({ skippedLines: 3_000, text: lines.slice(3_000).join("") });
});

verifies("cards:bg-lines", "long lines and a stream without line ends stay within bounded memory", () => {
  const ring = new LineRing();
  for (let piece = 0; piece < 1_000; piece += 1) ring.push("x".repeat(1_000));
  expect(ring.read().text).toMatch(/^x{4096} \[\.\.\. the rest of this line is only in the log \.\.\.\]$/);
  ring.push("\nnext\n");
  expect(ring.read().text).toMatch(/\]\nnext\n$/);
  for (let line = 0; line < 3_000; line += 1) ring.push(`${"y".repeat(4_000)}\n`);
  const { text, skippedLines } = ring.read();
  expect(text.length).toBeLessThanOrEqual(512 * 1024 + 2_000);
  expect(skippedLines + text.split("\n").length - 1).toBe(3_002);
});
