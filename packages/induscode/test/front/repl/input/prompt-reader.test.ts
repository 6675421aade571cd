import { PassThrough } from "node:stream";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openKeyboard, openStage } from "../../../../src/front/repl/index.ts";
import { PromptReader, type PromptResult } from "../../../../src/front/repl/input/prompt-reader.ts";

const WORDS = ["/mcp", "/model", "/help"];

/** A prompt without a process. `drawings`: how often something was written. */
async function openPrompt() {
  let drawings = 0;
  const stage = openStage({ out: () => void drawings++, outLook: { width: 40, height: 24 } });
  const input = Object.assign(new PassThrough(), { setRawMode: () => {} });
  const keyboard = await openKeyboard({ input, write: () => {} });
  const entries: string[] = ["old", "two\nlines"];
  const reader = new PromptReader({
    stage,
    keyboard,
    history: { entries: () => entries, add: (text) => void entries.push(text) },
    status: () => "status",
    isCovered: () => false,
    suggest: (text) =>
      text.startsWith("/")
        ? {
            start: 0,
            items: WORDS.filter((word) => word.startsWith(text)).map((word) => ({ text: word, about: "" })),
            isLoading: false,
          }
        : undefined,
    shortcut: () => false,
  });
  return {
    input,
    entries,
    reader,
    /** Keys while a turn runs. */
    typeAhead: async (keys: string): Promise<void> => {
      const stop = keyboard.listen((key) => reader.typeAhead(key));
      input.write(keys);
      await new Promise((resolve) => setImmediate(resolve));
      stop();
    },
    drawings: () => drawings,
    type: (keys: string): Promise<PromptResult> => {
      const read = reader.read("ended");
      input.write(keys);
      return read;
    },
    [Symbol.dispose]: () => {
      keyboard[Symbol.dispose]();
      stage[Symbol.dispose]();
    },
  };
}

const UP = "\u001b[A";
const DOWN = "\u001b[B";

verifies("repl:prompt", "several lines, the history, completions, and the keys that leave", async () => {
  using prompt = await openPrompt();
  const typed = async (keys: string): Promise<string> => {
    const result = await prompt.type(keys);
    return result.kind === "prompt" ? result.text : result.key;
  };
  expect(await typed("one\\\rtwo\u001b\rthree\r")).toBe("one\ntwo\nthree");
  // Up within the lines of an entry first, then to the one before; down goes back to the own text.
  expect(await typed(`own${UP}${UP}${UP}${UP}${UP}${UP}!\r`)).toBe("old!");
  expect(await typed(`mine${UP}${DOWN}\r`)).toBe("mine");
  expect(prompt.entries.slice(2)).toEqual(["one\ntwo\nthree", "old!", "mine"]);
  expect(await typed("/h\tme\r")).toBe("/help me");
  expect(await typed("/m\u001b[B\tx\r")).toBe("/model x");
  expect(await typed("\r \r\u0015x\r")).toBe("x");
  expect(await typed("gone\u0003kept\r")).toBe("kept");
  expect(await typed("gone\u0003\u0003")).toBe("ctrl-c");
  expect(await typed("\u0004")).toBe("ctrl-d");
  prompt.input.end();
  expect(await typed("")).toBe("end");
  expect(await typed("")).toBe("end");
});

verifies(
  "repl:prompt",
  "what is sent while a turn runs is the next prompt, unless the turn is stopped",
  async () => {
    using prompt = await openPrompt();
    await prompt.typeAhead("\rone\\\rtwo\r");
    expect(await prompt.type("")).toEqual({ kind: "prompt", text: "one\ntwo" });
    expect(prompt.entries.at(-1)).toBe("one\ntwo");
    // Changed after it was sent, or stopped: it is the beginning of the next prompt.
    await prompt.typeAhead("three\r!");
    expect(await prompt.type("?\r")).toEqual({ kind: "prompt", text: "three!?" });
    await prompt.typeAhead("four\r");
    const read = prompt.reader.read("stopped");
    prompt.input.write(", five\r");
    expect(await read).toEqual({ kind: "prompt", text: "four, five" });
  },
);

verifies("repl:prompt", "keys that arrive together are drawn once", async () => {
  using prompt = await openPrompt();
  const before = prompt.drawings();
  const text = "a pasted character, ".repeat(250);
  expect(await prompt.type(`${text}\r`)).toEqual({ kind: "prompt", text });
  expect(prompt.drawings() - before).toBeLessThan(10);
});
