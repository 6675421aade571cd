import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { createManualClock } from "indusagi/core";
import { expect } from "vitest";
import {
  compareStarts,
  type ReadProcessorUse,
  StartQueue,
  type StartRequest,
  type StartTicket,
} from "../../../../src/interop/fleet/starts/start-queue.ts";

const LIMITS = { processes: 3, http: 2, installs: 2, slotMs: 3000, idleMs: 50 };
const plain: StartRequest = {
  lane: "processes",
  isCalled: false,
  isRestart: false,
  isRequired: false,
  isKnownToFail: false,
  readyMs: undefined,
};
const microtasks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A queue, and the names of the starts that have their slots, in the order of the grants. */
function scene(limits = LIMITS, use?: ReadProcessorUse) {
  const clock = createManualClock();
  const queue = new StartQueue(limits, clock, use);
  const granted: string[] = [];
  const tickets = new Map<string, StartTicket>();
  const enter = (name: string, request: Partial<StartRequest> = {}): StartTicket => {
    const ticket = queue.enter({ ...plain, ...request });
    void ticket.granted.then(() => granted.push(name));
    tickets.set(name, ticket);
    return ticket;
  };
  return { clock, enter, granted, tickets };
}

verifies("starts:cap", "at most so many start at a time, and HTTP is counted apart", async () => {
  const { enter, granted, tickets } = scene();
  for (const name of ["a", "b", "c", "d", "e"]) enter(name);
  for (const name of ["x", "y", "z"]) enter(name, { lane: "http" });
  await microtasks();
  expect(granted).toEqual(["a", "b", "c", "x", "y"]);
  tickets.get("b")?.leave();
  tickets.get("b")?.leave(); // Giving a ticket back twice frees one slot.
  await microtasks();
  expect(granted).toEqual(["a", "b", "c", "x", "y", "d"]);
});

verifies(
  "catalogue:list-before-starts",
  "a start that waits for something takes no slot before it, unless a call needs it",
  async () => {
    const { enter, granted, tickets } = scene({ ...LIMITS, processes: 1 });
    let release = (): void => {};
    const after = new Promise<void>((resolve) => (release = resolve));
    for (const name of ["held1", "held2", "held3", "gone"]) enter(name, { after });
    enter("free", { readyMs: 9_000 });
    await microtasks();
    expect(granted).toEqual(["free"]);
    tickets.get("free")?.leave();
    tickets.get("held2")?.call();
    tickets.get("gone")?.leave();
    await microtasks();
    expect(granted).toEqual(["free", "held2"]);
    tickets.get("held2")?.leave();
    await microtasks();
    expect(granted).toEqual(["free", "held2"]);
    release();
    await microtasks();
    expect(granted).toEqual(["free", "held2", "held1"]);
    tickets.get("held1")?.leave();
    await microtasks();
    expect(granted).toEqual(["free", "held2", "held1", "held3"]);
  },
);

verifies("starts:cap", "a start that is not ready in time frees its slot once", async () => {
  const { enter, granted, clock, tickets } = scene();
  for (const name of ["mute1", "mute2", "mute3", "a", "b", "c", "d"]) enter(name);
  await microtasks();
  await clock.advance(2999);
  expect(granted).toHaveLength(3);
  await clock.advance(1);
  expect(granted).toEqual(["mute1", "mute2", "mute3", "a", "b", "c"]);
  tickets.get("mute1")?.leave(); // Its slot is already free.
  await microtasks();
  expect(granted).toHaveLength(6);
  for (const ticket of tickets.values()) ticket.leave();
  await microtasks();
  expect(clock.sleeping).toBe(0);
});

verifies("starts:idle", "a process that uses no processor frees its slot, if others wait", async () => {
  const used = new Map<number, { ticks: number; isActive: boolean }>();
  let reads = 0;
  const { enter, granted, clock, tickets } = scene(LIMITS, (pid) => (reads++, used.get(pid)));
  for (const [pid, name] of ["mute", "busy", "waiting"].entries()) enter(name, { process: () => pid });
  await microtasks();
  await clock.advance(1000);
  expect(reads).toBe(0); // Nobody waits for a slot.
  used.set(0, { ticks: 7, isActive: false });
  used.set(1, { ticks: 7, isActive: false });
  used.set(2, { ticks: 7, isActive: true });
  for (const name of ["a", "b", "c"]) enter(name, { process: () => undefined });
  await microtasks();
  for (let n = 0; n < 3; n++) {
    used.set(1, { ticks: 8 + n, isActive: false });
    await clock.advance(25);
  }
  await microtasks();
  expect(granted.slice(3)).toEqual(["a"]);
  used.set(2, { ticks: 9, isActive: false });
  await clock.advance(75);
  await microtasks();
  expect(granted.slice(3)).toEqual(["a", "b", "c"]); // Those without a process yet keep their slots.
  enter("d");
  await clock.advance(500);
  await microtasks();
  expect(granted.slice(3)).toEqual(["a", "b", "c"]);
  for (const ticket of tickets.values()) ticket.leave();
  await clock.advance(25);
  await microtasks();
  expect(clock.sleeping).toBe(0);
});

verifies("starts:idle", "where the use of the processor cannot be read, only the time counts", async () => {
  const { enter, granted, clock } = scene(LIMITS, () => undefined);
  for (const name of ["a", "b", "c", "d"]) enter(name, { process: () => 1 });
  await microtasks();
  for (let ms = 25; ms < 3000; ms += 25) await clock.advance(25);
  expect(granted).toHaveLength(3);
  await clock.advance(25);
  await microtasks();
  expect(granted).toHaveLength(4);
});

verifies(
  "starts:order",
  "starts that enter together are ordered first; a call moves one to the front",
  async () => {
    const { enter, granted, tickets } = scene({ ...LIMITS, processes: 1 });
    enter("slow", { readyMs: 900 });
    enter("restart", { isRestart: true });
    enter("quick", { readyMs: 100 });
    enter("new");
    enter("required", { isRequired: true, readyMs: 5000 });
    for (let n = 0; n < 4; n++) {
      await microtasks();
      if (n === 1) tickets.get("slow")?.call();
      tickets.get(granted.at(-1) ?? "")?.leave();
    }
    await microtasks();
    expect(granted).toEqual(["required", "new", "slow", "quick", "restart"]);
  },
);

verifies(
  "starts:installs",
  "two installations at a time and one per package, until they are over",
  async () => {
    const { enter, granted, tickets, clock } = scene();
    enter("a1", { installs: "npm:a" });
    enter("a2", { installs: "npm:a" });
    enter("b", { installs: "npm:b" });
    enter("c", { installs: "npm:c" });
    enter("plain");
    await microtasks();
    expect(granted).toEqual(["a1", "b", "plain"]);
    await clock.advance(60_000); // An installation takes its time, and does not hold up others.
    expect(granted).toEqual(["a1", "b", "plain"]);
    tickets.get("b")?.leave();
    await microtasks();
    expect(granted).toEqual(["a1", "b", "plain", "c"]);
    tickets.get("a1")?.leave();
    await microtasks();
    expect(granted).toEqual(["a1", "b", "plain", "c", "a2"]);
  },
);

verifies("starts:stop", "a listener that gives back another ticket keeps it from being granted", async () => {
  const { enter, granted, tickets } = scene({ ...LIMITS, processes: 1 });
  const stopAll = (): void => {
    for (const ticket of tickets.values()) ticket.leave();
  };
  enter("a", { isRequired: true });
  enter("b", { isRequired: true, onWait: stopAll });
  enter("x", { lane: "http" });
  await microtasks();
  expect(granted).toEqual(["a"]);
});

const someRequest: fc.Arbitrary<StartRequest> = fc.record({
  lane: fc.constantFrom("processes", "processes", "http"),
  isCalled: fc.constantFrom(false, false, true),
  isRestart: fc.boolean(),
  isRequired: fc.boolean(),
  isKnownToFail: fc.boolean(),
  readyMs: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
  installs: fc.option(fc.constantFrom("npm:a", "npm:b", "npm:c"), { nil: undefined }),
});
const someStep = fc.oneof(
  fc.record({ enter: fc.array(someRequest, { minLength: 1, maxLength: 6 }) }),
  fc.record({ leave: fc.nat() }),
  fc.record({ passMs: fc.constantFrom(1000, 3000) }),
);

verifies(
  "starts:cap",
  "whatever enters, leaves and stays mute: no limit is passed, and nobody waits who could start",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someStep, { maxLength: 12 }), async (steps) => {
        const clock = createManualClock();
        const queue = new StartQueue(LIMITS, clock);
        const model: { request: StartRequest; ticket: StartTicket; grantedMs?: number; isOver: boolean }[] =
          [];
        for (const step of steps) {
          if ("enter" in step)
            for (const request of step.enter) {
              const row = { request, ticket: queue.enter(request), isOver: false } as (typeof model)[number];
              void row.ticket.granted.then(() => (row.grantedMs = clock.monotonicMs()));
              model.push(row);
            }
          if ("leave" in step && model.length > 0) {
            const row = model[step.leave % model.length];
            row?.ticket.leave();
            if (row) row.isOver = true;
          }
          if ("passMs" in step) await clock.advance(step.passMs);
          await microtasks();
          const open = model.filter((row) => !row.isOver);
          const running = open.filter((row) => row.grantedMs !== undefined);
          const holding = running.filter((row) => clock.monotonicMs() - (row.grantedMs ?? 0) < LIMITS.slotMs);
          const installing = running.flatMap(({ request }) => request.installs ?? []);
          const inLane = (lane: StartRequest["lane"]) =>
            holding.filter((row) => row.request.lane === lane).length;
          expect(inLane("processes")).toBeLessThanOrEqual(LIMITS.processes);
          expect(inLane("http")).toBeLessThanOrEqual(LIMITS.http);
          expect(installing.length).toBeLessThanOrEqual(LIMITS.installs);
          expect(new Set(installing).size).toBe(installing.length);
          for (const { request } of open.filter((row) => row.grantedMs === undefined)) {
            const isLaneFull = inLane(request.lane) >= LIMITS[request.lane];
            const { installs } = request;
            const isBlocked =
              installs !== undefined &&
              (installing.length >= LIMITS.installs || installing.includes(installs));
            expect(isLaneFull || isBlocked).toBe(true);
          }
        }
        for (const { ticket } of model) ticket.leave();
        await microtasks();
        expect(clock.sleeping).toBe(0);
      }),
      { numRuns: 150 },
    );
  },
);

verifies("starts:order", "what enters together is granted in order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someRequest, { minLength: 1, maxLength: 8 }), async (requests) => {
      const queue = new StartQueue({ ...LIMITS, processes: 1 }, createManualClock());
      const granted: StartRequest[] = [];
      for (const given of requests) {
        const request: StartRequest = { ...given, lane: "processes", installs: undefined };
        const ticket = queue.enter(request);
        void ticket.granted.then(() => {
          granted.push(request);
          ticket.leave();
        });
      }
      await microtasks();
      expect(granted).toHaveLength(requests.length);
      expect(granted).toEqual([...granted].sort(compareStarts));
    }),
    { numRuns: 50 },
  );
});
