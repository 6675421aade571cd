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
