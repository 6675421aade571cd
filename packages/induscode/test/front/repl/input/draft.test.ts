import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { type Draft, edited, lineDown, lineUp } from "../../../../src/front/repl/input/draft.ts";
import { drawDraft } from "../../../../src/front/repl/input/draw-draft.ts";
import { shownPrompt } from "../../../../src/front/repl/input/prompt-reader.ts";
import { displayWidth } from "../../../../src/screen/internal.ts";

const press = (draft: Draft, ...names: string[]): Draft =>
  names.reduce((before, name) => {
    const [, ctrl, alt, key = ""] = /^(ctrl-)?(alt-)?(.*)$/.exec(name) ?? [];
    const text = key.startsWith("=") ? key.slice(1) : "";
    return edited(before, { name: key, text, ctrl: ctrl !== undefined, alt: alt !== undefined });
  }, draft);

/** The text with the cursor as `|`. */
const shown = ({ text, cursor }: Draft): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

verifies("repl:draft", "text is inserted, moved through and erased as in other terminals", () => {
  const draft = press({ text: "", cursor: 0 }, "=hello world", "alt-return", "=second");
  expect(shown(draft)).toBe("hello world\nsecond|");
  expect(shown(press(draft, "ctrl-w"))).toBe("hello world\n|");
  expect(shown(press(draft, "home", "left", "ctrl-left", "ctrl-k"))).toBe("hello |\nsecond");
  expect(shown(press(draft, "ctrl-a", "ctrl-d"))).toBe("hello world\n|econd");
  expect(shown(press(draft, "ctrl-u", "backspace", "alt-b", "alt-d"))).toBe("hello |");
  expect(shown(lineUp(draft) ?? draft)).toBe("hello |world\nsecond");
  expect(shown(lineDown(lineUp(draft) ?? draft) ?? draft)).toBe("hello world\nsecond|");
  expect(lineDown(draft)).toBeUndefined();
  // One press for a character of several units.
  expect(shown(press({ text: "a👩‍👧e\u0301", cursor: 8 }, "backspace", "backspace"))).toBe("a|");
  expect(press(draft, "f5")).toBe(draft);
  expect(shown(press({ text: "ein Wörtchen 語!  ", cursor: 17 }, "ctrl-w", "ctrl-w"))).toBe("ein |");
});

const keys = fc.constantFrom(
  ..."=x,=日,=\n,left,right,home,end,backspace,delete,ctrl-w,ctrl-u,ctrl-k,alt-b,alt-f,alt-d,up".split(","),
);

verifies(
  "repl:draft",
  "after any keys the cursor is within the text, and the drawing fits the screen",
  () => {
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 60 }), fc.integer({ min: 20, max: 40 }), (names, width) => {
        const draft = press({ text: "", cursor: 0 }, ...names);
        expect(draft.cursor).toBeGreaterThanOrEqual(0);
        expect(draft.cursor).toBeLessThanOrEqual(draft.text.length);
        const { lines, cursor } = drawDraft(draft, { mark: "> ", width, maxLines: 100 });
        for (const line of lines) expect(displayWidth(line)).toBeLessThan(width);
        expect(lines.map((line) => line.slice(2)).join("")).toBe(draft.text.replaceAll("\n", ""));
        // The text before the cursor is what the lines have before it.
        const before = [
          ...lines.slice(0, cursor.line).map((line) => line.slice(2)),
          cutAt(lines[cursor.line] ?? "", cursor.column).slice(2),
        ];
        expect(before.join("")).toBe(draft.text.slice(0, draft.cursor).replaceAll("\n", ""));
      }),
    );
  },
);

function cutAt(line: string, columns: number): string {
  let cut = "";
  for (const char of line) {
    if (displayWidth(cut) >= columns) break;
    cut += char;
  }
  return cut;
}

verifies("repl:draft", "of a long draft the lines around the cursor are drawn", () => {
  const text = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n");
  const top = drawDraft({ text, cursor: 0 }, { mark: "> ", width: 40, maxLines: 5 });
  expect(top.lines[0]).toBe("> line 0");
  const end = drawDraft({ text, cursor: text.length }, { mark: "> ", width: 40, maxLines: 5 });
  expect(end.lines.at(-1)).toBe("  line 29");
  expect([top.lines.at(-1), end.lines[0]]).toEqual(["↓ line 4", "↑ line 25"]);
  expect(end.cursor).toEqual({ line: 4, column: 9 });
  // Once it is sent, its beginning stays on the screen.
  expect(shownPrompt(text, 40).split("\n").slice(-2)).toEqual(["  line 19", "  … 10 more lines"]);
});
