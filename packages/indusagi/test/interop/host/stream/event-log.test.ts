import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { EventLog } from "../../../../src/interop/host/stream/event-log.ts";
import { roughSize } from "../../../../src/interop/host/stream/json-pieces.ts";

type Message = NonNullable<Parameters<EventLog["store"]>[1]>;

function messageOf(at: number, padding: number): Message {
  return { jsonrpc: "2.0", method: "note", params: { at, padding: "x".repeat(padding) } };
}

function answerOf(id: number, padding: number): Message {
  return { jsonrpc: "2.0", id, result: { padding: "x".repeat(padding) } };
}

const stored = fc.array(
  fc.record({
    stream: fc.constantFrom("a", "b_c", "_GET_stream"),
    padding: fc.nat(300),
    isAnswer: fc.boolean(),
  }),
  { maxLength: 60 },
);
const limits = fc.record({
  events: fc.integer({ min: 1, max: 12 }),
  bytes: fc.integer({ min: 100, max: 1500 }),
});

/** What a log replays to a client that returns with this id; nothing for an unknown stream. */
function replayed(log: EventLog, from: string): { stream: string; ids: string[] } | undefined {
  const stream = log.streamOf(from);
  return stream === undefined ? undefined : { stream, ids: [...log.after(from)].map(([id]) => id) };
}

verifies(
  "host-threats:event-log",
  "the stored events are limited to the newest and replayed in order to their own stream, even from an id that was dropped",
  () => {
    fc.assert(
      fc.property(stored, limits, (events, limit) => {
        const log = new EventLog(limit);
        const said: { id: string; stream: string; bytes: number; isAnswer: boolean }[] = [];
        for (const [at, { stream, padding, isAnswer }] of events.entries()) {
          const message = isAnswer ? answerOf(at, padding) : messageOf(at, padding);
          const id = log.store(stream, message);
          said.push({ id, stream, isAnswer, bytes: roughSize(message, Number.MAX_VALUE) });
        }
        expect(new Set(said.map(({ id }) => id)).size).toBe(said.length);
        // The newest events that fit; one that is too large alone is left out.
        const keepable = said.filter(({ bytes }) => bytes <= limit.bytes);
        let count = 0;
        for (let size = 0; count < Math.min(limit.events, keepable.length); count += 1) {
          size += keepable.at(-1 - count)?.bytes ?? 0;
          if (size > limit.bytes) break;
        }
        const kept = new Set(keepable.slice(keepable.length - count).map(({ id }) => id));
        for (const [at, from] of said.entries()) {
          const own = said.filter(({ stream }) => stream === from.stream);
          const end = own.at(-1);
          const isOver = end?.isAnswer === true && !kept.has(end.id);
          const rest = said.slice(at + 1).filter(({ id, stream }) => stream === from.stream && kept.has(id));
          const expected = { stream: from.stream, ids: rest.map(({ id }) => id) };
          expect(replayed(log, from.id)).toEqual(isOver ? undefined : expected);
        }
      }),
    );
  },
);

verifies("host-threats:event-log", "an unknown id leads nowhere", () => {
  const log = new EventLog({ events: 10, bytes: 10_000 });
  log.store("a", messageOf(1, 0));
  for (const id of ["", "_", "b_1", "a", "1"]) expect(replayed(log, id)).toBeUndefined();
});

verifies("host-threats:event-log", "a message that contains itself is measured and not stored", () => {
  const data: { self?: unknown } = {};
  data.self = data;
  const log = new EventLog({ events: 10, bytes: 10_000 });
  const message = { jsonrpc: "2.0", method: "note", params: { data } } as unknown as Message;
  const id = log.store("a", message);
  expect(replayed(log, id)).toEqual({ stream: "a", ids: [] });
});

verifies("host-threats:event-log", "the counted size is close to the real size of the message", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(100_000), (value, padding) => {
      const message = { value, text: "x".repeat(padding) };
      const written = JSON.stringify(message).length;
      expect(roughSize(message, Number.MAX_VALUE)).toBeGreaterThan(written / 8);
      expect(roughSize(message, Number.MAX_VALUE)).toBeLessThan(written * 8);
    }),
  );
});
