import { once } from "node:events";
import { emitKeypressEvents } from "node:readline";
import { PassThrough } from "node:stream";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { type Key, KeyJoiner, type Keypress } from "../../../../src/front/repl/input/key.ts";

/** The keys that the bytes of a terminal are, as Node's own parser sees them. */
async function keysOf(...chunks: string[]): Promise<Key[]> {
  const input = new PassThrough();
  const joiner = new KeyJoiner();
  const keys: Key[] = [];
  emitKeypressEvents(input);
  input.on("keypress", (_: unknown, press: Keypress) => {
    const key = joiner.take(press);
    if (key) keys.push(key);
  });
  for (const chunk of chunks) {
    input.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  input.end();
  await once(input, "end");
  return keys;
}

const shown = ({ name, text, ctrl, alt }: Key): string =>
  `${ctrl ? "ctrl-" : ""}${alt ? "alt-" : ""}${name}${text === "" ? "" : `=${text}`}`;

verifies("repl:keys", "letters, control keys, Alt-Enter and keys of a keyboard are told apart", async () => {
  const keys = await keysOf("aÉ日", "\r", "\u0003", "\u001b\r", "\u001b[A", "\u001b[3~", "\u0017", "\u001bb");
  expect(keys.map(shown)).toEqual([
    "a=a",
    "É=É",
    "日=日",
    "return",
    "ctrl-c",
    "alt-return",
    "up",
    "delete",
    "ctrl-w",
    "alt-b",
  ]);
});

verifies("repl:keys", "Ctrl-C soon after Esc is Ctrl-C", async () => {
  const keys = await keysOf("\u001b", "\u0003", "\u001b\u001b\u0003", "x");
  expect(keys.map(shown)).toEqual(["ctrl-c", "ctrl-c", "x=x"]);
});

verifies(
  "repl:keys",
  "a pasted text is one key, with its line breaks, without control characters",
  async () => {
    const keys = await keysOf("\u001b[200~one\r\ntwo\u0003", "\tthree\r", "\u001b[201~x");
    expect(keys.map(shown)).toEqual(["paste=one\ntwo\tthree\n", "x=x"]);
  },
);
