import { setTimeout as sleep } from "node:timers/promises";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { type Key, KeyDecoder, keyName } from "../../../../src/front/repl/input/key.ts";

const shown = (key: Key): string => `${keyName(key)}${key.text === "" ? "" : `=${key.text}`}`;

/** The keys of pieces that arrive one after the other, without waiting for more. */
function keysOf(...pieces: (string | Uint8Array)[]): string[] {
  const keys: string[] = [];
  const decoder = new KeyDecoder((key) => keys.push(shown(key)));
  for (const piece of pieces) decoder.push(piece);
  decoder.close();
  return keys;
}

/** Waits for the next key. */
function nextKey(...pieces: string[]): Promise<string> {
  return new Promise((resolve) => {
    const decoder = new KeyDecoder((key) => resolve(shown(key)));
    for (const piece of pieces) decoder.push(piece);
  });
}

verifies("repl:keys", "letters, control keys, Alt-Enter and keys of a keyboard are told apart", () => {
  const keys =
    "a,É,日,👩,\r,\n,\t,\u007f,\u0003,\u001b\r,\u001b[A,\u001bOB,\u001b[3~,\u0017,\u001bb,\u001b[Z".split(
      ",",
    );
  expect(keysOf(...keys)).toEqual([
    "a=a",
    "É=É",
    "日=日",
    "👩=👩",
    "return",
    "enter",
    "tab",
    "backspace",
    "ctrl-c",
    "alt-return",
    "up",
    "down",
    "delete",
    "ctrl-w",
    "alt-b",
    "shift-tab",
  ]);
  // With modifiers, and by the codes of newer terminals.
  expect(
    keysOf("\u001b[1;5C\u001b\u001b[D\u001b[13;2u\u001b[27;5;99~\u001b[99;5u\u001b[9;2u\u001b[97u"),
  ).toEqual(["ctrl-right", "alt-left", "alt-return", "ctrl-c", "ctrl-c", "shift-tab", "a=a"]);
  // An unknown sequence is no text.
  expect(keysOf("\u001b[?1;2c\u001b[15~\u001bOP\u0000x")).toEqual([
    "unknown",
    "unknown",
    "unknown",
    "unknown",
    "x=x",
  ]);
});

const SEQUENCES = [
  "\u001b[A",
  "\u001bOC",
  "\u001b[1;5D",
  "\u001b[3~",
  "\u001b[Z",
  "é",
  "日",
  "\r",
  "\u001b[200~\u001b[Ay\r\u001b[201~",
];

verifies("repl:keys", "however a terminal's bytes are cut, no key becomes Esc or text", () => {
  const bytes = fc.array(fc.constantFrom(...SEQUENCES), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(60), { maxLength: 8 }), (sequences, cuts) => {
      const all = Buffer.from(sequences.join(""));
      const ends = [...cuts.filter((cut) => cut < all.length), all.length].toSorted((a, b) => a - b);
      const pieces = ends.map((end, at) => all.subarray(ends[at - 1] ?? 0, end));
      // Letters that arrive together are one text.
      const joined = (keys: readonly string[]): string =>
        keys
          .map((key) => key.replace(/^(?!paste=\[A).*=/, "="))
          .join(" ")
          .replaceAll(" =", "=");
      const whole = joined(sequences.flatMap((each) => keysOf(each)));
      expect(joined(keysOf(...pieces)).replaceAll("=", "")).toBe(whole.replaceAll("=", ""));
    }),
  );
});

verifies("repl:keys", "Esc is a key if nothing follows, also before another key", async () => {
  expect(await nextKey("\u001b")).toBe("escape");
  expect(await nextKey("\u001bO")).toBe("alt-O");
  // A key that is pressed after Esc is not Alt with that key, while the rest of a sequence may be late.
  const keys: string[] = [];
  const decoder = new KeyDecoder((key) => keys.push(shown(key)), 60_000);
  for (const late of ["x", "\r", "[A", "\u001b[B"]) {
    decoder.push("\u001b");
    await sleep(60);
    decoder.push(late);
  }
  decoder.close();
  expect(keys).toEqual(["escape", "x=x", "escape", "return", "up", "escape", "down"]);
});

verifies(
  "repl:keys",
  "a program that was busy reads the rest of a sequence before it decides for Esc",
  async () => {
    const keys: string[] = [];
    const decoder = new KeyDecoder((key) => keys.push(shown(key)));
    decoder.push("\u001b");
    const arrived = new Promise<void>((resolve) =>
      // As the poll phase does, which comes between the timers and the checks of the loop.
      setTimeout(() => queueMicrotask(() => resolve(decoder.push("[A"))), 350),
    );
    const until = performance.now() + 400;
    while (performance.now() < until);
    await arrived;
    expect(keys).toEqual(["up"]);
  },
);

verifies("repl:keys", "Ctrl-C soon after Esc is Ctrl-C, and gets out of a paste without an end", () => {
  expect(keysOf("\u001b", "\u0003", "\u001b\u001b\u0003", "x")).toEqual(["ctrl-c", "ctrl-c", "x=x"]);
  expect(keysOf("\u001b[", "\u0003")).toEqual(["alt-[", "ctrl-c"]);
  expect(keysOf("\u001b[200~lost", "\u0003")).toEqual(["paste=lost", "ctrl-c"]);
});

verifies(
  "repl:keys",
  "a pasted text is one key, with its line breaks, without control characters; so is text that comes at once",
  () => {
    const pasted = ["\u001b[200~one\r\ntwo\u0003", "\tthree\r", "\u001b", "[201", "~x"];
    expect(keysOf(...pasted)).toEqual(["paste=one\ntwo\tthree\n", "x=x"]);
    expect(keysOf("yes\r")).toEqual(["paste=yes", "return"]);
  },
);
