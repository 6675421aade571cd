import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import type { Draft } from "../../../../src/front/repl/input/draft.ts";
import { Menu, type Suggestions } from "../../../../src/front/repl/input/menu.ts";
import { displayWidth } from "../../../../src/screen/internal.ts";

const SCREEN = { width: 60, height: 24, look: {} };
const NAMES = ["alpha", "beta", "gamma", "delta"];

/** A menu of names, and how the list is changed. */
function openMenu(names: readonly string[] = NAMES) {
  const state = { names, isLoading: false, isOptional: false };
  const menu = new Menu((text): Suggestions | undefined => {
    const start = text.lastIndexOf("@");
    if (start === -1 || text.endsWith(" ")) return undefined;
    const items = state.names
      .filter((name) => name.startsWith(text.slice(start + 1)))
      .map((name) => ({ text: `@${name}`, about: `about ${name}`, isOpen: name.endsWith("/") }));
    return { start, items, isLoading: state.isLoading, isOptional: state.isOptional };
  });
  return { menu, state };
}

const at = (text: string): Draft => ({ text, cursor: text.length });

verifies("repl:menu", "arrows select, Tab and Enter take, Esc closes until another word begins", () => {
  const { menu, state } = openMenu();
  menu.update(at("x @"));
  expect(menu.lines(SCREEN)).toEqual([
    "› @alpha  about alpha",
    "  @beta   about beta",
    "  @gamma  about gamma",
    "  @delta  about delta",
    "  1 of 4 · Tab or Enter takes it, Esc closes",
  ]);
  expect(menu.press("down", at("x @"))).toEqual(at("x @"));
  expect(menu.press("tab", at("x @"))).toEqual(at("x @beta "));
  menu.press("up", at("x @"));
  menu.press("up", at("x @"));
  // The selected item stays selected while others arrive.
  state.names = ["aaa", ...NAMES];
  menu.update(at("x @"));
  expect(menu.press("return", at("x @"))).toEqual(at("x @delta "));
  // The word in front of other text, which has its space already.
  expect(menu.press("return", { text: "x @ y", cursor: 3 })).toEqual({ text: "x @delta y", cursor: 9 });
  // What is typed completely is sent, not taken.
  menu.update(at("x @beta"));
  expect(menu.press("return", at("x @beta"))).toBeUndefined();
  expect(menu.press("escape", at("x @beta"))).toEqual(at("x @beta"));
  menu.update(at("x @be"));
  expect([menu.isOpen, menu.press("tab", at("x @be"))]).toEqual([false, undefined]);
  menu.update(at("x @be and @be"));
  expect(menu.isOpen).toBe(true);
  menu.update(at("x @zzz"));
  expect([menu.isOpen, menu.press("return", at("x @zzz"))]).toEqual([false, undefined]);
  // An argument that may be left out is taken only if the user selects it.
  state.isOptional = true;
  menu.update(at("@"));
  expect(menu.press("return", at("@"))).toBeUndefined();
  menu.press("down", at("@"));
  expect(menu.press("return", at("@"))).toEqual(at("@aaa "));
});

verifies(
  "repl:menu",
  "whatever the names and the size of the screen are, each line fits, with no control characters",
  () => {
    const name = fc.string({
      unit: fc.constantFrom("a", "語", "\u001b[2J", "\u202e", "👩‍👧", "\n", "e\u0301", "/"),
    });
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 12, max: 130 }),
        fc.array(fc.constantFrom("up", "down"), { maxLength: 50 }),
        (names, width, keys) => {
          const { menu } = openMenu(names);
          menu.update(at("@"));
          for (const key of keys) menu.press(key, at("@"));
          for (const height of [10, 24, 40]) {
            const lines = menu.lines({ width, height, look: {} });
            expect(lines.length).toBeLessThanOrEqual(9);
            expect(lines.filter((line) => line.startsWith("› "))).toHaveLength(1);
            for (const line of lines) {
              expect(displayWidth(line)).toBeLessThan(width);
              // oxlint-disable-next-line no-control-regex
              expect(line).not.toMatch(/[\u0000-\u001f\u202e]/);
            }
          }
        },
      ),
    );
  },
);
