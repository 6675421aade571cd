import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { findRuns, MATCH_STRATEGIES, type Span } from "../../../src/capabilities/edit/match-strategies.ts";
import { applyChanges, type EditRequest, planEdit } from "../../../src/capabilities/edit/plan-edit.ts";
import { lineNumbersAt, textLines } from "../../../src/capabilities/edit/text-lines.ts";

const piece = fc.constantFrom(
  "a",
  "b",
  "ab",
  "  ",
  "\t",
  "x = 1;",
  "\u201cq\u201d",
  '"q"',
  "$&",
  "\n",
  "\r\n",
  "\r",
  "\n\n",
  "é",
);
const text = fc.array(piece, { maxLength: 25 }).map((parts) => parts.join(""));
const short = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
const request: fc.Arbitrary<EditRequest> = fc.record({
  text,
  wanted: short,
  replacement: short,
  replaceAll: fc.boolean(),
});

/** The edited text, or why the edit is refused. */
function outcome(edit: EditRequest): string {
  const plan = planEdit(edit);
  return plan.ok ? applyChanges(edit.text, plan.changes) : plan.why;
}

/** How often one text occurs in another, overlapping or not. */
function count(within: string, sought: string): number {
  let found = 0;
  for (let at = within.indexOf(sought); at !== -1; at = within.indexOf(sought, at + 1)) found++;
  return found;
}

verifies("edit:exact-first", "every character outside the changes stays, and changes do not overlap", () => {
  fc.assert(
    fc.property(request, (edit) => {
      const plan = planEdit(edit);
      if (!plan.ok) return;
      const after = applyChanges(edit.text, plan.changes);
      let [before, now] = [0, 0];
      for (const { start, end, replacement } of plan.changes) {
        expect(start).toBeGreaterThanOrEqual(before);
        const kept = edit.text.slice(before, start);
        expect(after.slice(now, now + kept.length)).toBe(kept);
        expect(after.slice(now + kept.length, now + kept.length + replacement.length)).toBe(replacement);
        [before, now] = [end, now + kept.length + replacement.length];
      }
      expect(after.slice(now)).toBe(edit.text.slice(before));
    }),
    { numRuns: 2000 },
  );
});

verifies("edit:exact-first", "text that occurs once is replaced like String.replace with a function", () => {
  fc.assert(
    fc.property(text, short, short, (within, wanted, replacement) => {
      fc.pre(!/[\r\n]/.test(wanted + replacement) && count(within, wanted) === 1);
      const edit = { text: within, wanted, replacement, replaceAll: false };
      expect(planEdit(edit)).toMatchObject({ ok: true, strategy: "exact" });
      expect(outcome(edit)).toBe(within.replace(wanted, () => replacement));
    }),
  );
});

verifies("edit:replace-all", "replaceAll gives what split and join give", () => {
  fc.assert(
    fc.property(text, short, short, (within, wanted, replacement) => {
      fc.pre(!/[\r\n]/.test(wanted + replacement) && within.includes(wanted));
      const edit = { text: within, wanted, replacement, replaceAll: true };
      expect(outcome(edit)).toBe(within.split(wanted).join(replacement));
    }),
  );
});

verifies("edit:ambiguous", "with more than one exact match, overlapping or not, none is chosen", () => {
  fc.assert(
    fc.property(text, short, (within, wanted) => {
      fc.pre(!/[\r\n]/.test(wanted) && count(within, wanted) > 1);
      const plan = planEdit({ text: within, wanted, replacement: "new", replaceAll: false });
      expect(plan).toMatchObject({ ok: false, why: "ambiguous", strategy: "exact", mayReplaceAll: true });
    }),
  );
});

verifies("edit:tolerant", "a loose match is the only one, and has the same words as the wanted text", () => {
  const words = (content: string): string =>
    content
      .replaceAll(/[\u201c\u201d]/g, '"')
      .replaceAll(/\s+/g, " ")
      .trim();
  fc.assert(
    fc.property(request, (edit) => {
      const plan = planEdit(edit);
      if (!plan.ok || plan.strategy === "exact") return;
      if (plan.strategy !== "line endings") expect(plan.changes).toHaveLength(1);
      for (const { start, end } of plan.changes)
        expect(words(edit.text.slice(start, end))).toBe(words(edit.wanted));
    }),
    { numRuns: 2000 },
  );
});

const lineWords = fc.stringMatching(/^[a-z]{1,3}$/);
const eol = fc.constantFrom("\n", "\r\n", "\r");
const lines = fc.array(fc.tuple(lineWords, eol), { minLength: 1, maxLength: 10 });

verifies(
  "edit:line-endings",
  "an edit of one line keeps the endings of all others, and never splits a CRLF",
  () => {
    fc.assert(
      fc.property(
        lines,
        fc.nat(),
        fc.array(lineWords, { minLength: 1, maxLength: 3 }),
        (content, pick, put) => {
          const marked = content.map(([words, ending], index) => [`${words}${index}!`, ending] as const);
          const target = pick % marked.length;
          const whole = marked.map(([words, ending]) => words + ending).join("");
          const after = outcome({
            text: whole,
            wanted: marked[target]?.[0] ?? "",
            replacement: put.join("\n"),
            replaceAll: false,
          });
          const own = marked[target]?.[1] ?? "";
          const expected = marked.map(([words, ending], index) =>
            index === target ? put.join(own) + ending : words + ending,
          );
          expect(after).toBe(expected.join(""));
        },
      ),
    );
  },
);

verifies("edit:line-endings", "in a file with CRLF lines, an edit with line feeds leaves only CRLF", () => {
  const lf = fc
    .array(fc.constantFrom("a", "b", "c d", "\n"), { minLength: 1, maxLength: 8 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(lf, lf, lf, fc.boolean(), (content, wanted, replacement, replaceAll) => {
      fc.pre(content.includes("\n"));
      const after = outcome({ text: content.replaceAll("\n", "\r\n"), wanted, replacement, replaceAll });
      expect(after.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    }),
    { numRuns: 2000 },
  );
});

/** The simple, slow way: an expression in which each line ending matches any, and a CRLF is never split. */
function anyEndingSpans(within: string, wanted: string, skipOverlaps: boolean): Span[] {
  if (!/[\r\n]/.test(wanted) || !/[^\r\n]/.test(wanted)) return [];
  const pieces = wanted.split(/\r\n|\n|\r/).map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  const pattern = new RegExp(pieces.join("(?:\\r\\n|\\n|\\r(?!\\n))"), "g");
  const spans: Span[] = [];
  for (let match = pattern.exec(within); match; match = pattern.exec(within)) {
    const isHalf = match[0].startsWith("\n") && within[match.index - 1] === "\r";
    if (!isHalf) spans.push({ start: match.index, end: match.index + match[0].length });
    if (!skipOverlaps || isHalf) pattern.lastIndex = match.index + 1;
  }
  return spans;
}

verifies(
  "edit:line-endings",
  "matches are those of a regular expression that accepts any line ending",
  () => {
    const strategy = MATCH_STRATEGIES.find(({ name }) => name === "line endings");
    const mixed = fc
      .array(fc.constantFrom("a", "b", "\r", "\n", "\r\n", "$."), { minLength: 1, maxLength: 14 })
      .map((parts) => parts.join(""));
    const part = fc.tuple(mixed, fc.nat(), fc.nat({ max: 6 })).map(([whole, from, length]) => {
      const start = from % whole.length;
      return [whole, whole.slice(start, start + length).replaceAll(/\r\n?/g, "\n")] as const;
    });
    fc.assert(
      fc.property(fc.oneof(fc.tuple(mixed, mixed), part), fc.boolean(), ([within, wanted], skipOverlaps) => {
        const found = strategy?.find({ text: within, wanted, lines: () => [], skipOverlaps }) ?? [];
        expect([...found]).toEqual(anyEndingSpans(within, wanted, skipOverlaps));
      }),
      { numRuns: 3000 },
    );
  },
);

verifies(
  "edit:line-endings",
  "a CRLF is one line ending: half of it is neither a match nor an empty line",
  () => {
    const edit = { text: "x\r\n\r\na", wanted: "\n\na", replacement: "b", replaceAll: false };
    expect(outcome(edit)).toBe("xb");
    expect(outcome({ ...edit, text: "a\r\nb", wanted: "a\n\nb" })).toBe("not_found");
  },
);

verifies("edit:large", "thousands of lines are found quickly in a file with other line endings", () => {
  const numbered = Array.from({ length: 6000 }, (_, line) => `line ${line} (of them)`);
  const edit = { wanted: numbered.join("\n"), replacement: "x", replaceAll: false };
  expect(outcome({ ...edit, text: `${numbered.join("\r\n")}\r\nlast` })).toBe("x\r\nlast");

  const started = performance.now();
  const equal = { ...edit, text: "x\r\n".repeat(100_000), wanted: `${"x\n".repeat(2000)}y` };
  expect(outcome(equal)).toBe("not_found");
  expect(performance.now() - started).toBeLessThan(10_000);
});

verifies("edit:tolerant", "runs are found everywhere, overlapping ones too", () => {
  const sequence = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 30 });
  fc.assert(
    fc.property(
      sequence,
      fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 5 }),
      (within, sought) => {
        const naive = within.flatMap((_, at) =>
          sought.every((value, index) => within[at + index] === value) ? [at] : [],
        );
        expect([...findRuns(Int32Array.from(within), Int32Array.from(sought))]).toEqual(naive);
      },
    ),
  );
});

verifies("edit:exact-first", "lines and their numbers are those of the text", () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 80 })), (content, anywhere) => {
      const found = textLines(content);
      expect(found.map(({ start, next }) => content.slice(start, next)).join("")).toBe(content);
      for (const { start, end } of found) expect(content.slice(start, end)).not.toMatch(/[\r\n]/);
      expect(textLines(content, 3)).toEqual(found.slice(0, 3));
      const places = [...anywhere].sort((a, b) => a - b);
      expect(lineNumbersAt(content, places)).toEqual(
        places.map((place) => content.slice(0, place).split("\n").length),
      );
    }),
  );
});

verifies(
  "edit:large",
  "very many equal lines, and a text that almost matches all of them, are fast",
  () => {
    const started = performance.now();
    const content = "a\n".repeat(200_000);
    const nearly = { text: content, wanted: `${"a \n".repeat(2000)}b`, replacement: "x", replaceAll: false };
    expect(outcome(nearly)).toBe("not_found");
    expect(outcome({ ...nearly, wanted: " a" })).toBe("ambiguous");
    expect(performance.now() - started).toBeLessThan(20_000);
  },
  { timeoutMs: 60_000 },
);

verifies("edit:large", "too many matches, and results that would fill the memory, are refused", () => {
  const everywhere = {
    text: "a\r\n".repeat(1000),
    wanted: "a",
    replacement: "x\n".repeat(200_000),
    replaceAll: true,
  };
  expect(outcome(everywhere)).toBe("too_large");
  expect(outcome({ ...everywhere, text: "a".repeat(1_000_001), replacement: "b" })).toBe("too_many");
});
