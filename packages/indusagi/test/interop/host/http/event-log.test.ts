import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { EventLog, roughSize } from "../../../../src/interop/host/http/event-log.ts";

type Message = Parameters<EventLog["storeEvent"]>[1];

function messageOf(at: number, padding: number): Message {
  return { jsonrpc: "2.0", method: "note", params: { at, padding: "x".repeat(padding) } };
}

const stored = fc.array(
  fc.record({ stream: fc.constantFrom("a", "b", "_GET_stream"), padding: fc.nat(300) }),
  {
    maxLength: 60,
  },
);
const limits = fc.record({
  events: fc.integer({ min: 1, max: 12 }),
  bytes: fc.integer({ min: 100, max: 1500 }),
});

verifies(
  "host-threats:event-log",
  "what is kept is bounded, newest last, and replayed in order to its own stream",
  async () => {
    await fc.assert(
      fc.asyncProperty(stored, limits, async (events, limit) => {
        const log = new EventLog(limit);
        const said: { id: string; stream: string; message: Message; bytes: number }[] = [];
        for (const [at, { stream, padding }] of events.entries()) {
          const message = messageOf(at, padding);
          const id = await log.storeEvent(stream, message);
          said.push({ id, stream, message, bytes: roughSize(message) });
        }
        expect(new Set(said.map(({ id }) => id)).size).toBe(said.length);
        const kept: typeof said = [];
        for (const each of said)
          if ((await log.getStreamIdForEventId(each.id)) === each.stream) kept.push(each);
        expect(kept.length).toBeLessThanOrEqual(limit.events);
        expect(kept.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(limit.bytes);
        // Only what is too large by itself is missing among the newest.
        const keepable = said.filter(({ bytes }) => bytes <= limit.bytes);
        expect(kept).toEqual(keepable.slice(keepable.length - kept.length));
        for (const from of kept) {
          const replayed: unknown[] = [];
          const send = async (id: string, message: Message): Promise<void> =>
            void replayed.push([id, message]);
          expect(await log.replayEventsAfter(from.id, { send })).toBe(from.stream);
          const rest = kept.slice(kept.indexOf(from) + 1).filter(({ stream }) => stream === from.stream);
          expect(replayed).toEqual(rest.map(({ id, message }) => [id, message]));
        }
      }),
    );
  },
);

verifies("host-threats:event-log", "the size that is counted is near what the message holds", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(100_000), (value, padding) => {
      const message = { value, text: "x".repeat(padding) };
      const written = JSON.stringify(message).length;
      expect(roughSize(message)).toBeGreaterThan(written / 8);
      expect(roughSize(message)).toBeLessThan(written * 8);
    }),
  );
});
