import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { Conversation } from "../../../../src/interop/host/questions/conversation.ts";
import { ParkedCalls } from "../../../../src/interop/host/questions/parked-calls.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LIMITS = { questionMs: 100, perOwner: 2, total: 5 };
const HERE = "listener";
/** Half of the owners use the listener. */
const isHere = (owner: string): boolean => owner < "c";
const owners = fc.constantFrom("ann", "bob", "cyd", "dan");

/** Possible events of parked calls, in any order. */
const steps = fc.oneof(
  fc.record({ does: fc.constant("park" as const), owner: owners }),
  fc.record({ does: fc.constant("take" as const), owner: owners, which: fc.nat(20) }),
  fc.record({ does: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ does: fc.constant("end" as const), owner: owners }),
  fc.record({ does: fc.constant("close" as const) }),
);

/** A simple model: what is parked, and until when. */
interface Expected {
  readonly talk: Conversation;
  readonly ticket: string;
  readonly owner: string;
  readonly until: number;
}

verifies(
  "host-threats:parked-calls",
  "in any order of events each call is taken once or ended once, and no limit is exceeded",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 60 }), async (schedule) => {
        const parked = new ParkedCalls(LIMITS);
        const all: Expected[] = [];
        let waiting: Expected[] = [];
        let now = 0;
        for (const step of schedule) {
          if (step.does === "park") {
            const talk = new Conversation(step.owner, () => new Promise(() => {}));
            const own = waiting.filter(({ owner }) => owner === step.owner).length;
            const hasRoom = own < LIMITS.perOwner && waiting.length < LIMITS.total;
            let ticket = "none";
            if (!hasRoom)
              expect(() => parked.park(talk, isHere(step.owner) ? HERE : undefined)).toThrow(
                "too many questions",
              );
            else ticket = parked.park(talk, isHere(step.owner) ? HERE : undefined);
            expect(talk.signal.aborted).toBe(!hasRoom);
            const expected = { talk, ticket, owner: step.owner, until: now + LIMITS.questionMs };
            all.push(expected);
            if (hasRoom) waiting.push(expected);
          }
          if (step.does === "take") {
            const wanted = all[step.which % Math.max(1, all.length)];
            const isThere = wanted !== undefined && waiting.includes(wanted) && wanted.owner === step.owner;
            expect(parked.take(wanted?.ticket ?? "nothing", step.owner)).toBe(
              isThere ? wanted?.talk : undefined,
            );
            if (isThere) {
              waiting = waiting.filter((each) => each !== wanted);
              expect(wanted?.talk.signal.aborted).toBe(false);
            }
          }
          if (step.does === "wait") {
            now += step.ms;
            await vi.advanceTimersByTimeAsync(step.ms);
            for (const { talk, until } of waiting) expect(talk.signal.aborted).toBe(until <= now);
            waiting = waiting.filter(({ until }) => until > now);
          }
          if (step.does === "end" || step.does === "close") {
            const reason = new Error("over");
            if (step.does === "end") parked.endOwned(step.owner, reason);
            else parked.endOfListener(HERE, reason);
            const isMeant = ({ owner }: Expected): boolean =>
              step.does === "close" ? isHere(owner) : owner === step.owner;
            for (const { talk } of waiting.filter(isMeant)) expect(talk.signal.reason).toBe(reason);
            waiting = waiting.filter((each) => !isMeant(each));
          }
          expect(parked.size).toBe(waiting.length);
        }
        for (const { owner } of waiting) parked.endOwned(owner, new Error("over"));
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 200 },
    );
  },
);
