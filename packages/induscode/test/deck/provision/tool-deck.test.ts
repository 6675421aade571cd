import { verifies } from "@indus/testkit";
import { makeLocalContext } from "indusagi/capabilities";
import type { Caller, ToolBoxChange, ToolOutcome } from "indusagi/runtime";
import { type Capability, ToolDeck } from "induscode/deck";
import { expect } from "vitest";
import { capability, contextRecorder, LiveSource } from "./sample-capabilities.ts";

function deckOf(...capabilities: Capability[]) {
  const reports: string[] = [];
  const deck = new ToolDeck(capabilities, makeLocalContext("."), (message) => reports.push(message));
  const changes: string[][][] = [];
  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
  const box = deck.intoToolBox();
  box.onChange(({ added, changed, removed }: ToolBoxChange) =>
    changes.push([names(added), names(changed), names(removed)]),
  );
  const offered = (): string[] => names(box.descriptors());
  const run = (name: string, input: unknown = {}, signal?: AbortSignal, caller?: Caller) =>
    box.runner.run({ id: "c1", name, input }, signal, caller);
  return { deck, box, reports, changes, offered, run };
}

verifies("deck:tools", "the list is a new array each time, and its owner cannot change the deck", () => {
  const { deck, offered } = deckOf(capability("a"), capability("b"));
  const tools = deck.tools();
  tools.pop();
  expect(deck.tools().map(({ name }) => name)).toEqual(["a", "b"]);
  expect(offered()).toEqual(["a", "b"]);
});

verifies("deck:graft", "capabilities are added at the end, and a filter before does not affect them", () => {
  const { deck, offered } = deckOf(capability("a"), capability("b"));
  deck.retain(({ name }) => name === "b").graft([capability("c"), capability("a")]);
  expect(offered()).toEqual(["b", "c", "a"]);
  expect(deck.tools().map(({ name }) => name)).toEqual(offered());
});

verifies("deck:graft", "a taken name is reported once and is offered when it is free", () => {
  const source = new LiveSource(capability("x"));
  const { deck, offered, reports, run } = deckOf(capability("a"));
  const second = capability("x", { run: async () => ({ content: [{ kind: "text", text: "second" }] }) });
  deck
    .graft(source)
    .graft([second])
    .graft([capability("a")]);
  expect(offered()).toEqual(["a", "x"]);
  source.replace(capability("x"), capability("y"));
  expect(reports).toEqual([
    "a second tool named x is not offered: the name is taken",
    "a second tool named a is not offered: the name is taken",
  ]);
  source.replace();
  expect(offered()).toEqual(["a", "x"]);
  return expect(run("x")).resolves.toMatchObject({ output: "second" });
});

verifies("deck:graft-live", "the box follows a source: one event per change, no event without one", () => {
  const [one, two] = [capability("s__one"), capability("s__two")];
  const source = new LiveSource(one);
  const { deck, box, changes, offered } = deckOf(capability("a"));
  deck.graft(source);
  const before = box.descriptors();
  source.replace(one);
  expect(box.descriptors()).toBe(before);
  source.replace(two, one);
  source.replace(two, capability("s__one"));
  source.replace();
  expect(offered()).toEqual(["a"]);
  expect(changes).toEqual([
    [["s__one"], [], []],
    [["s__two"], [], []],
    [[], ["s__one"], []],
    [[], [], ["s__two", "s__one"]],
  ]);
});

verifies(
  "deck:map",
  "each capability is replaced once, those that arrive later too, those grafted after not",
  async () => {
    const source = new LiveSource(capability("s__one"));
    const { deck, run, changes } = deckOf(capability("a"));
    const wrapped: string[] = [];
    deck.graft(source).mapCapabilities((inner) => {
      wrapped.push(inner.name);
      return { ...inner, run: async () => ({ content: [{ kind: "text", text: `wrapped ${inner.name}` }] }) };
    });
    const [one] = source.list();
    source.replace(...(one ? [one] : []), capability("s__two"));
    deck.graft([capability("late")]);
    expect(wrapped).toEqual(["a", "s__one", "s__two"]);
    expect((await run("s__two")).output).toBe("wrapped s__two");
    expect((await run("late")).output).toBe("late");
    expect(changes).toEqual([
      [["s__one"], [], []],
      [[], ["a", "s__one"], []],
      [["s__two"], [], []],
      [["late"], [], []],
    ]);
  },
);

verifies("deck:retain", "a filter applies to the source before it, also later", () => {
  const source = new LiveSource(capability("s__one"));
  const { deck, offered } = deckOf(capability("a"), capability("b"));
  deck.graft(source).retain(({ name }) => name !== "b" && name !== "s__two");
  source.replace(capability("s__one"), capability("s__two"), capability("s__three"));
  expect(offered()).toEqual(["a", "s__one", "s__three"]);
});

verifies("deck:map", "a function that fails throws for a present tool and leaves out a later one", () => {
  const source = new LiveSource();
  const { deck, offered, reports } = deckOf(capability("a"));
  const fail = (): never => {
    throw new Error("no wrapper");
  };
  expect(() => deck.mapCapabilities(fail)).toThrow("no wrapper");
  deck.graft(source).mapCapabilities((each) => (each.name === "s__bad" ? fail() : each));
  source.replace(capability("s__bad"), capability("s__good"));
  source.replace(...source.list());
  expect(offered()).toEqual(["a", "s__good"]);
  expect(reports).toEqual(["tool s__bad is not offered: no wrapper"]);
});

verifies("deck:runner", "an unknown name is an error outcome", async () => {
  const { run } = deckOf(capability("a"));
  expect(await run("nope")).toMatchObject({
    id: "c1",
    isError: true,
    output: 'there is no tool named "nope"',
    fault: { kind: "tool_error", reason: "unknown_tool", retrySafe: true },
  });
});

verifies("deck:runner", "a capability with invoke gives its own outcome object, unchanged", async () => {
  const own: ToolOutcome = {
    id: "c1",
    output: "x",
    isError: false,
    result: { content: [] },
    suspended: { requests: {}, state: "s" },
    wire: { value: () => 1 },
  };
  const received: unknown[] = [];
  const invoke: Capability["invoke"] = async (call) => {
    received.push(call.input);
    return own;
  };
  const { run } = deckOf(capability("a", { invoke }));
  expect(await run("a", { count: "5" })).toBe(own);
  expect(received).toEqual([{ count: "5" }]);
});

verifies("deck:runner", "a capability with run alone gets coerced input and a whole outcome", async () => {
  const received: unknown[] = [];
  const run: Capability["run"] = async (input) => {
    received.push(input);
    return { content: [{ kind: "json", value: { ok: true } }], structured: { ok: true } };
  };
  const deck = deckOf(capability("a", { run }));
  expect(await deck.run("a", { count: "5" })).toMatchObject({
    output: { ok: true },
    result: { structured: { ok: true } },
  });
  expect(received).toEqual([{ count: 5 }]);
});

verifies("deck:runner", "a capability that throws, or ignores an abort, is still an outcome", async () => {
  const fail = async (): Promise<never> => {
    throw new Error("broken");
  };
  const { run } = deckOf(
    capability("by-run", { run: fail }),
    capability("by-invoke", { invoke: fail }),
    capability("deaf", { run: () => new Promise(() => {}) }),
  );
  for (const name of ["by-run", "by-invoke"])
    expect(await run(name)).toMatchObject({ isError: true, output: `${name} failed: broken` });
  const abort = new AbortController();
  const running = run("deaf", {}, abort.signal);
  abort.abort();
  expect((await running).fault).toEqual({ kind: "tool_error", reason: "aborted", retrySafe: false });
});

verifies("deck:session", "all calls have one session; each has its own call, signal and caller", async () => {
  const { contexts, card } = contextRecorder("a");
  const { run } = deckOf(card);
  const abort = new AbortController();
  const caller: Caller = { key: "k", can: {} };
  await run("a", { count: 1 });
  await run("a", { count: 2 }, abort.signal, caller);
  const [first, second] = contexts;
  expect(first?.framework).toBe(second?.framework);
  expect(first?.contextId).toBe(second?.contextId);
  expect([first?.caller, second?.caller]).toEqual([undefined, caller]);
  expect(first?.signal.aborted).toBe(false);
  abort.abort();
  expect([first?.signal.aborted, second?.signal.aborted]).toEqual([false, true]);
  expect(second?.call).toMatchObject({ id: "c1", name: "a", input: { count: 2 } });
});

verifies("deck:session", "the signal of the session aborts every call", async () => {
  const abort = new AbortController();
  const deaf = capability("deaf", { run: () => new Promise(() => {}) });
  const deck = new ToolDeck([deaf], makeLocalContext(".", { signal: abort.signal }));
  const { runner } = deck.intoToolBox();
  const own = new AbortController();
  const running = [undefined, own.signal].map((signal) =>
    runner.run({ id: "c", name: "deaf", input: {} }, signal),
  );
  abort.abort();
  for (const { fault } of await Promise.all(running)) expect(fault?.reason).toBe("aborted");
  expect(own.signal.aborted).toBe(false);
});

verifies("deck:close", "closing ends the session once and stops following sources", async () => {
  const source = new LiveSource(capability("s__one"));
  const { deck, offered } = deckOf(capability("a"));
  deck.graft(source);
  expect(source.listening).toBe(1);
  const closing = deck.close();
  expect(deck.close()).toBe(closing);
  await closing;
  expect(source.listening).toBe(0);
  source.replace();
  expect(offered()).toEqual(["a", "s__one"]);
  const late = new LiveSource(capability("late"));
  deck.graft(late);
  expect([offered(), late.listening]).toEqual([["a", "late"], 0]);
});
