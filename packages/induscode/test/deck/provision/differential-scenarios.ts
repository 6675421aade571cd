import type { ServerFleet } from "indusagi/interop";
import type { Answers, Caller, Questions, ToolBox, ToolBoxChange, ToolOutcome } from "indusagi/runtime";
import { expect } from "vitest";
import type { TalkingBox } from "../../../../indusagi/test/interop/host/talking-box.ts";

/** A box with the tools of two servers: `s`, the scripted server, and `t`, our host over a box of ours. */
export interface Side {
  readonly box: ToolBox;
  readonly fleet: ServerFleet;
  readonly talking: TalkingBox;
}

/** Uses a box and returns all that can be observed. The tools of a deck that are not mounted do not count. */
export interface Scenario {
  readonly name: string;
  run(side: Side): Promise<unknown>;
  /** Checks that there was something to observe. */
  shows(transcript: unknown): void;
}

interface Recorder {
  readonly caller: Caller;
  readonly events: unknown[];
}

const ACCEPTED = { action: "accept", content: { name: "Ada" } };

/** A caller that notes what it gets and answers every question. */
function recorder(part: Partial<Caller> = {}): Recorder {
  const events: unknown[] = [];
  const ask = async (requests: Questions): Promise<Answers> => {
    events.push({ ask: requests });
    return Object.fromEntries(Object.entries(requests).map(([key, { method }]) => [key, answerTo(method)]));
  };
  const caller: Caller = {
    key: "k",
    can: { elicit: { form: true, url: true }, sample: {}, roots: true },
    progress: (note) => void events.push({ progress: note }),
    log: (entry) => void events.push({ log: entry }),
    ask,
    ...part,
  };
  return { caller, events };
}

function answerTo(method: string): unknown {
  if (method === "elicitation/create") return ACCEPTED;
  if (method === "roots/list") return { roots: [{ uri: "file:///srv" }] };
  return { role: "assistant", model: "none", content: { type: "text", text: "hi" }, stopReason: "endTurn" };
}

/** Everything of an outcome. Members may be getters, and the wire form is a function. */
function shown(outcome: ToolOutcome): object {
  const { id, output, isError, result, fault, suspended, wire } = outcome;
  return {
    members: Object.keys(outcome),
    id,
    output,
    isError,
    result,
    fault,
    suspended,
    wire: wire?.value(),
  };
}

async function callAll(
  { box }: Side,
  calls: readonly (readonly [string, unknown?, object?])[],
  caller?: Caller,
): Promise<object[]> {
  const outcomes: object[] = [];
  for (const [name, input = {}, meta] of calls) {
    const call = { id: `call ${name}`, name, input, ...(meta ? { meta: { ...meta } } : {}) };
    outcomes.push(shown(await box.runner.run(call, undefined, caller)));
  }
  return outcomes;
}

async function heard(
  side: Side,
  calls: readonly (readonly [string, unknown?])[],
  part: Partial<Caller> = {},
): Promise<object> {
  const { caller, events } = recorder(part);
  return { outcomes: await callAll(side, calls, caller), events };
}

const eventsIn = (transcript: unknown): readonly object[] =>
  (transcript as { readonly events: readonly object[] }).events;

/** The change events of mounted tools while `act` runs, as names. */
async function changesDuring({ box }: Side, act: () => Promise<unknown>): Promise<string[][][]> {
  const seen: string[][][] = [];
  const names = (list: ToolBoxChange["added"]): string[] => list.map(({ name }) => name);
  const remove = box.onChange(({ added, changed, removed }) =>
    seen.push([names(added), names(changed), names(removed)]),
  );
  await act();
  await expect.poll(() => seen.length, { interval: 5, timeout: 10_000 }).toBeGreaterThan(0);
  remove();
  return seen;
}

async function abortWhen(side: Side, name: string, input: object, started: () => boolean): Promise<object> {
  const abort = new AbortController();
  const running = side.box.runner.run({ id: "c", name, input }, abort.signal, recorder().caller);
  await expect.poll(started, { interval: 5, timeout: 10_000 }).toBe(true);
  abort.abort(new Error("enough"));
  const during = shown(await running);
  const before = shown(await side.box.runner.run({ id: "c", name, input }, abort.signal));
  return { during, before };
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "definitions",
    run: async ({ box }) => box.descriptors().filter(({ origin }) => origin),
    shows: (list) => {
      expect(list).toHaveLength(35);
      expect(list).toContainEqual(
        expect.objectContaining({ name: "s__echo", definition: expect.objectContaining({ name: "echo" }) }),
      );
    },
  },
  {
    name: "results",
    run: (side) =>
      callAll(side, [
        ["s__echo", { text: "hi" }],
        ["s__args", { nested: [1, { __proto__: null, a: "5" }], text: null }],
        ["s__args", '{"sent":"as text"}'],
        ["s__meta", {}, { "example/trace": "abc" }],
        ["s__blocks"],
        ["s__odd"],
        ["s__nothing"],
        ["t__picture"],
      ]),
    shows: (outcomes) =>
      expect(outcomes).toContainEqual(
        expect.objectContaining({ wire: expect.objectContaining({ "x-unknown": { kept: true } }) }),
      ),
  },
  {
    name: "errors",
    run: (side) =>
      callAll(side, [["s__fail"], ["s__refuse"], ["t__fails"], ["t__upstream_error"], ["s__none"], ["none"]]),
    shows: (outcomes) => {
      expect((outcomes as { isError: boolean }[]).every(({ isError }) => isError)).toBe(true);
      expect(outcomes).toContainEqual(
        expect.objectContaining({
          fault: expect.objectContaining({ rpc: expect.objectContaining({ code: -32_042 }) }),
        }),
      );
    },
  },
  {
    name: "progress",
    run: (side) => heard(side, [["t__progress"]]),
    shows: (transcript) => expect(eventsIn(transcript)).toHaveLength(3),
  },
  {
    name: "logs",
    run: (side) => heard(side, [["t__logs"]]),
    shows: (transcript) =>
      expect(eventsIn(transcript)).toEqual([
        { log: { level: "warning", logger: "talking", data: "careful" } },
      ]),
  },
  {
    name: "questions",
    run: (side) =>
      heard(side, [
        ["s__ask"],
        ["s__sample"],
        ["s__roots"],
        ["t__asks"],
        ["t__asks_twice"],
        ["s__capabilities"],
      ]),
    shows: (transcript) => expect(eventsIn(transcript).length).toBeGreaterThan(5),
  },
  {
    name: "questions that are refused, and questions without a caller",
    run: async (side) => {
      const ask = async (): Promise<never> => Promise.reject(new Error("not now"));
      return [await heard(side, [["s__ask"], ["t__asks"]], { ask }), await callAll(side, [["s__ask"]])];
    },
    shows: (transcript) => expect(transcript).toHaveLength(2),
  },
  {
    name: "suspension and resumption",
    run: async (side) => {
      const can = { suspend: true, elicit: { form: true } };
      const resume = { state: "state-of-ask", responses: { ask: ACCEPTED } };
      return [
        await heard(side, [["s__ask"]], { can }),
        await heard(side, [["s__ask"]], { can, resume }),
        await heard(side, [["s__echo", { text: "x" }]], { can }),
      ];
    },
    shows: (transcript) => expect(transcript).toHaveLength(3),
  },
  {
    name: "cancellation",
    run: async (side) => {
      const calls = side.talking.calls.length;
      const hang = await abortWhen(side, "t__hang", {}, () => side.talking.calls.length > calls);
      await expect.poll(() => side.talking.aborted.length, { timeout: 10_000 }).toBe(1);
      const slow = await abortWhen(side, "s__slow", { ms: 60_000, quiet: true }, () => true);
      return { hang, slow };
    },
    shows: (transcript) =>
      expect(transcript).toMatchObject({
        hang: {
          during: { fault: { reason: "aborted", retrySafe: false } },
          before: { fault: { reason: "aborted", retrySafe: true } },
        },
      }),
  },
  {
    name: "changes of the list, and a removed server",
    run: async (side) => {
      const change = () => callAll(side, [["s__change"]]);
      const added = await changesDuring(side, change);
      const removed = await changesDuring(side, change);
      const gone = await changesDuring(side, () => side.fleet.removeServer("t"));
      const left = side.box.descriptors().filter(({ origin }) => origin);
      return { added, removed, gone, left, call: await callAll(side, [["t__echo"], ["s__extra"]]) };
    },
    shows: (transcript) =>
      expect(transcript).toMatchObject({
        added: [[["s__extra"], [], []]],
        removed: [[[], [], ["s__extra"]]],
        gone: [[[], [], expect.arrayContaining(["t__echo"])]],
        call: [{ fault: { reason: "unknown_tool" } }, { fault: { reason: "unknown_tool" } }],
      }),
  },
];

/** For a server that is a process. */
export const DEATH: Scenario = {
  name: "a process that dies during a call, and the next call",
  run: (side) => callAll(side, [["s__die"], ["s__echo", { text: "again" }]]),
  shows: (outcomes) =>
    expect(outcomes).toMatchObject([{ fault: { kind: "transport", server: "s" } }, { output: "again" }]),
};
