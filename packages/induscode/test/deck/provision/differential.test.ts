import { verifies } from "@indus/testkit";
import {
  type BridgeOptions,
  createProviderHost,
  type InjectedTransport,
  linkedTransports,
  mountProtocolBridge,
  type ProtocolEra,
  type ServerConfig,
} from "indusagi/interop";
import { economize, type ToolBox } from "indusagi/runtime";
import { bridgeBoxSource, createDeckContext, effectOf, provisionDeck } from "induscode/deck";
import { createPolicy, gate } from "induscode/policy";
import { expect } from "vitest";
import { TalkingBox } from "../../../../indusagi/test/interop/host/talking-box.ts";
import { inProcess, scripted } from "../../../../indusagi/test/interop/kit/scripted.ts";
import { DEATH, SCENARIOS, type Side } from "./differential-scenarios.ts";

type Link = "in process" | "over stdio";

interface OpenSide extends Side, AsyncDisposable {}

function served(box: TalkingBox): InjectedTransport {
  const [ours, theirs] = linkedTransports();
  void createProviderHost(box).connect(theirs);
  return ours;
}

/** For questions without a caller. */
async function refuse(): Promise<never> {
  throw new Error("no caller");
}

/** The same two servers for every side. */
async function mounted(era: ProtocolEra, link: Link): Promise<OpenSide> {
  const talking = new TalkingBox();
  const isProcess = link === "over stdio";
  const unused = (id: string): ServerConfig => ({ kind: "stdio", id, command: "unused" });
  const options: BridgeOptions = {
    probeMs: 10_000,
    // A legacy server may ask only what was announced when it was connected.
    answers: { can: { elicit: { form: true, url: true }, sample: {}, roots: true }, ask: refuse },
    ...(era === "legacy" ? { eras: { recall: () => "legacy", remember: () => {} } } : {}),
    transport: ({ id }) => {
      if (id === "t") return served(talking);
      return isProcess ? undefined : inProcess({ era });
    },
  };
  const { box, fleet } = await mountProtocolBridge(
    { servers: [isProcess ? scripted("s", "--era", era) : unused("s"), unused("t")] },
    options,
  );
  return { box, fleet, talking, [Symbol.asyncDispose]: () => fleet.tearDown() };
}

/** The servers grafted onto a deck with all other tools. */
async function inDeck(era: ProtocolEra, link: Link): Promise<OpenSide> {
  const { box, fleet, talking } = await mounted(era, link);
  const deck = provisionDeck("all", createDeckContext(".")).graft(bridgeBoxSource(box));
  return {
    box: deck.intoToolBox(),
    fleet,
    talking,
    [Symbol.asyncDispose]: async () => {
      await deck.close();
      await fleet.tearDown();
    },
  };
}

/** A box whose every call goes through `tool_call`. */
function throughToolCall(box: ToolBox): ToolBox {
  const { runner } = economize(box);
  return {
    descriptors: () => box.descriptors(),
    onChange: (listener) => box.onChange(listener),
    runner: {
      run: ({ name, input, ...call }, signal, caller) =>
        runner.run({ ...call, name: "tool_call", input: { name, arguments: input } }, signal, caller),
    },
  };
}

async function compare(plain: Side, other: Side, link: Link): Promise<void> {
  for (const { name, run, shows } of link === "over stdio" ? [DEATH, ...SCENARIOS] : SCENARIOS) {
    const [expected, found] = await Promise.all([run(plain), run(other)]);
    shows(expected);
    expect(found, name).toEqual(expected);
  }
}

for (const [era, link] of [
  ["legacy", "in process"],
  ["modern", "in process"],
  ["legacy", "over stdio"],
  ["modern", "over stdio"],
] as const) {
  verifies(
    "deck:differential",
    `${era}, ${link}: the box of a deck and the mounted box differ in nothing`,
    async () => {
      await using plain = await mounted(era, link);
      await using deck = await inDeck(era, link);
      await compare(plain, deck, link);
    },
    { timeoutMs: 60_000 },
  );
}

verifies(
  "deck:differential",
  "modern: a gate that allows everything makes no difference either",
  async () => {
    await using plain = await mounted("modern", "in process");
    await using deck = await inDeck("modern", "in process");
    const policy = createPolicy({ cwd: ".", effectOf, mode: "bypass", roots: "any" });
    await compare(plain, { ...deck, box: gate(deck.box, policy) }, "in process");
  },
);

verifies("deck:differential", "modern: a suspended outcome has its questions and its state", async () => {
  await using deck = await inDeck("modern", "in process");
  const can = { suspend: true, elicit: { form: true } };
  const call = { id: "c", name: "s__ask", input: {} };
  const outcome = await deck.box.runner.run(call, undefined, { key: "k", can });
  expect(outcome.suspended).toMatchObject({
    requests: { ask: { method: "elicitation/create" } },
    state: "state-of-ask",
  });
});

verifies("deck:differential", "a deck shows the very descriptors of the mounted box", async () => {
  await using plain = await mounted("modern", "in process");
  await using deck = provisionDeck("all", createDeckContext("."));
  deck.graft(bridgeBoxSource(plain.box));
  const shown = deck
    .intoToolBox()
    .descriptors()
    .filter(({ origin }) => origin);
  expect(shown.every((descriptor, index) => descriptor === plain.box.descriptors()[index])).toBe(true);
  expect(shown).toHaveLength(plain.box.descriptors().length);
});

for (const [era, link] of [
  ["legacy", "in process"],
  ["modern", "over stdio"],
] as const)
  verifies(
    "economy:differential",
    `${era}, ${link}: a call through tool_call and a direct one differ in nothing`,
    async () => {
      await using plain = await mounted(era, link);
      await using other = await mounted(era, link);
      await compare(plain, { ...other, box: throughToolCall(other.box) }, link);
    },
    { timeoutMs: 60_000 },
  );

verifies(
  "economy:gate",
  "a rule for a tool decides about a call through tool_call, and a hidden tool is not there",
  async () => {
    await using side = await mounted("modern", "in process");
    const asked: string[] = [];
    const policy = createPolicy({ cwd: ".", effectOf, deny: ["t__*"], ask: ["s__echo"], roots: "any" });
    const gated = gate(side.box, policy, async ({ call, descriptor }) => {
      asked.push(call.name, descriptor.name);
      return { allow: true };
    });
    const { runner } = economize(gated);
    const run = (name: string, input: object) => runner.run({ id: "1", name, input });
    const echoed = await run("tool_call", { name: "s__echo", arguments: { text: "hi" } });
    expect([echoed.output, asked]).toEqual(["hi", ["s__echo", "s__echo"]]);
    expect((await run("tool_call", { name: "t__echo", arguments: {} })).fault).toMatchObject({
      reason: "policy",
    });
    expect((await run("tool_describe", { names: ["t__echo"] })).isError).toBe(true);
    const { output } = await run("tool_search", { query: "picture progress echo" });
    expect(output).toContain("s__echo(");
    expect(output).not.toContain("t__");
  },
);
