import { setImmediate as nextTurn } from "node:timers/promises";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { onAbort } from "indusagi/core";
import { expect } from "vitest";
import { Conversation, type RoundResult } from "../../../../src/interop/host/questions/conversation.ts";
import type { Questions } from "../../../../src/runtime/index.ts";

const KEYS = ["a", "b", "who", "__proto__", "constructor", "toString"];

/** What a tool does during its work: questions one after the other, some at the same time. */
const scripts = fc.record({
  asks: fc.array(
    fc.array(fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1 }), { minLength: 1, maxLength: 3 }),
    {
      maxLength: 4,
    },
  ),
  ends: fc.constantFrom("result", "thrown"),
  /** Which open questions the client answers in each turn. */
  answered: fc.array(fc.integer({ min: 0, max: 63 }), { minLength: 1, maxLength: 8 }),
});

function roundOf(signal = new AbortController().signal) {
  return {
    onAbort: (listener: (reason: unknown) => void) => onAbort(signal, listener),
    progress: () => {},
    log: () => {},
  };
}

function questionsOf(keys: readonly string[]): Questions {
  return Object.fromEntries(keys.map((key) => [key, { method: "roots/list" as const }]));
}

verifies(
  "host-threats:conversation",
  "each question is answered once, with the given answer, and there is one end",
  async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async ({ asks, ends, answered }) => {
        const received: unknown[] = [];
        const said: unknown[] = [];
        const talk = new Conversation("me", async (talking) => {
          for (const together of asks)
            received.push(...(await Promise.all(together.map((keys) => talking.ask(questionsOf(keys))))));
          if (ends === "thrown") throw new Error("the tool's own");
          return { done: true };
        });
        let open: Record<string, unknown> = {};
        let turns = 0;
        const end = await lastTurn(talk, (questions) => {
          turns += 1;
          const mask = turns > 200 ? 63 : (answered[turns % answered.length] ?? 63);
          const keys = Object.keys(questions).filter((key) => mask & (1 << KEYS.indexOf(key)));
          const answers = Object.fromEntries(keys.map((key) => [key, `${turns} ${key}`]));
          open = withOwn(open, answers);
          if (keys.length === Object.keys(questions).length) {
            said.push(open);
            open = {};
          }
          return withOwn(answers, { "not asked": true });
        });
        expect(end).toEqual(ends === "result" ? { result: { done: true } } : new Error("the tool's own"));
        expect(received.map(ownEntries)).toEqual(said.map(ownEntries));
        expect(said.length).toBe(asks.flat().length);
      }),
    );
  },
);

function withOwn(first: object, second: object): Record<string, unknown> {
  return Object.fromEntries([...Object.entries(first), ...Object.entries(second)]);
}

function ownEntries(value: unknown): unknown[] {
  return Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Continues a conversation until it ends; a thrown error counts as its end. */
async function lastTurn(
  talk: Conversation,
  answer: (questions: Questions) => Record<string, unknown>,
): Promise<unknown> {
  for (let turns = 0; turns < 1_000; turns += 1) {
    const turn: RoundResult | Error = await talk.turn(roundOf()).catch((thrown: Error) => thrown);
    if (turn instanceof Error || !("questions" in turn)) return turn;
    talk.answer(answer(turn.questions));
  }
  throw new Error("it asks for ever");
}

verifies(
  "host-threats:conversation",
  "ended at any moment, each question and each turn gets the reason, once",
  async () => {
    const moments = fc.record({
      asks: fc.integer({ min: 0, max: 4 }),
      endAt: fc.nat(4),
      how: fc.constantFrom("end", "round"),
    });
    await fc.assert(
      fc.asyncProperty(moments, async ({ asks, endAt, how }) => {
        const told: unknown[] = [];
        const reason = new Error("gone");
        const talk = new Conversation("me", async (talking) => {
          for (let at = 0; at < asks; at += 1)
            await talking.ask(questionsOf(["a"])).catch((thrown: unknown) => {
              told.push(thrown);
              throw thrown;
            });
          // Work that does not end by itself.
          await new Promise((_resolve, reject) =>
            talking.signal.addEventListener("abort", () => reject(talking.signal.reason as Error)),
          );
          return {};
        });
        const abort = new AbortController();
        const finish = (): void => (how === "end" ? talk.end(reason) : abort.abort(reason));
        let ended: unknown;
        for (let turn = 0; turn <= asks; turn += 1) {
          if (ended !== undefined) break;
          const turning = talk.turn(roundOf(abort.signal)).catch((thrown: unknown) => (ended = thrown));
          if (turn === endAt || turn === asks) {
            await nextTurn();
            finish();
            if (how === "round" && turn < asks) talk.end(reason);
          }
          await turning;
          talk.answer({ a: turn });
        }
        if (ended === undefined)
          ended = await talk.turn(roundOf(abort.signal)).catch((thrown: unknown) => thrown);
        expect(ended).toBe(reason);
        expect(talk.signal.reason).toBe(reason);
        expect(told.every((thrown) => thrown === reason) && told.length <= 1).toBe(true);
        await expect(talk.ask(questionsOf(["late"]))).rejects.toBe(reason);
      }),
    );
  },
);

verifies(
  "host-threats:conversation",
  "a question aborted before it was asked, or while it waits, is not asked",
  async () => {
    const gaveUp = new Error("never mind");
    const late = new AbortController();
    const talk = new Conversation("me", async (talking) => {
      const early = talking
        .ask(questionsOf(["early"]), AbortSignal.abort(gaveUp))
        .catch((thrown: unknown) => thrown);
      const outcomes = [await early];
      outcomes.push(await talking.ask(questionsOf(["late"]), late.signal).catch((thrown: unknown) => thrown));
      return { outcomes, answer: await talking.ask(questionsOf(["last"])) };
    });
    const first = await talk.turn(roundOf());
    expect(first).toEqual({ questions: questionsOf(["late"]) });
    late.abort(gaveUp);
    // An answer to a question that is no longer open is ignored.
    talk.answer({ late: 1, early: 2 });
    expect(await talk.turn(roundOf())).toEqual({ questions: questionsOf(["last"]) });
    talk.answer({ last: 3 });
    expect(await talk.turn(roundOf())).toEqual({
      result: { outcomes: [gaveUp, gaveUp], answer: { last: 3 } },
    });
  },
);

verifies(
  "host-threats:conversation",
  "work that ends while it is parked reports its end in the next turn",
  async () => {
    const giveUp = new AbortController();
    const talk = new Conversation("me", async (talking) => {
      await talking.ask(questionsOf(["a"]), giveUp.signal).catch(() => {});
      return { done: true };
    });
    expect(await talk.turn(roundOf())).toEqual({ questions: questionsOf(["a"]) });
    giveUp.abort();
    await nextTurn();
    expect(await talk.turn(roundOf())).toEqual({ result: { done: true } });
  },
);
