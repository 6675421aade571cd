import { readFileSync } from "node:fs";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { createManualClock } from "indusagi/core";
import { type Lease, ProtocolFault, type SupervisionOptions } from "indusagi/interop";
import { afterEach, expect, vi } from "vitest";
import { FleetFeed } from "../../../src/interop/fleet/feed/fleet-feed.ts";
import { resolveSupervision } from "../../../src/interop/fleet/fleet-options.ts";
import { resolveStarts } from "../../../src/interop/fleet/starts/start-options.ts";
import { createStartMemory, StartPlan } from "../../../src/interop/fleet/starts/start-plan.ts";
import type { StartTicket } from "../../../src/interop/fleet/starts/start-queue.ts";
import { Supervisor } from "../../../src/interop/fleet/supervisor.ts";
import { NEXT_STATES, StateMachine, type StateName } from "../../../src/interop/fleet/supervisor-state.ts";
import { ScriptedEndpoint } from "./scripted-endpoint.ts";

const STATES = Object.keys(NEXT_STATES) as StateName[];
const LISTED = STATES.flatMap((from) => NEXT_STATES[from].map((to) => `${from} -> ${to}`)).toSorted();

const moves = vi.spyOn(StateMachine.prototype, "move");
afterEach(() => void moves.mockClear());

interface Rules {
  readonly isEnabled: boolean;
  /** Its row asks for something that is not supported. */
  readonly isRefused?: boolean;
  readonly isPending?: boolean;
  readonly isSupervised: boolean;
  /** Its launch installs a package before it is ready for the first time. */
  readonly isInstalled?: boolean;
  /** The slot is taken from the beginning. */
  readonly isCrowded?: boolean;
  readonly lazy: boolean;
  /** This many failures open the breaker. */
  readonly failures: number;
  readonly idleMs?: number;
  readonly checkMs?: number;
}

/** A supervisor over scripted endpoints, under a clock that the test moves. */
class World {
  readonly clock = createManualClock();
  readonly endpoints: ScriptedEndpoint[] = [];
  readonly leases: Lease[] = [];
  readonly acquired: Promise<unknown>[] = [];
  /** Callers that wait for a lease. */
  waiting = 0;
  /** How often an endpoint was opened before the last one had closed. */
  overlaps = 0;
  readonly supervisor: Supervisor;
  readonly #plan: StartPlan;
  /** Holds the only slot, so that the supervisor has to wait for it. */
  #other: StartTicket | undefined;
  readonly #initial: StateName;

  constructor({ isEnabled, isRefused = false, isSupervised, failures, ...rules }: Rules) {
    moves.mockClear();
    const fault = isRefused ? new ProtocolFault("not_connected", "a wrong row") : undefined;
    const { isInstalled, isCrowded, isPending = false, ...rest } = rules;
    const command = isInstalled ? "npx" : "unused";
    const config = {
      kind: "stdio",
      id: "s",
      command,
      enabled: isEnabled,
      pending: isPending,
    } as const;
    const options: SupervisionOptions = {
      ...rest,
      clock: this.clock,
      jitter: 0,
      firstDelayMs: 100,
      acquireMs: 5000,
      breaker: { failures, retryMs: 20_000 },
    };
    const chosen = isPending ? "untrusted" : isRefused ? "refused" : "dormant";
    this.#initial = isEnabled ? chosen : "disabled";
    this.#plan = new StartPlan({
      settings: resolveStarts(1, { slotMs: 1e9 }),
      history: createStartMemory(),
      clock: this.clock,
    });
    this.supervisor = new Supervisor({
      config,
      fault,
      rules: { ...resolveSupervision(options), restarts: isSupervised },
      plan: this.#plan,
      feed: new FleetFeed().add(config.id),
      mint: () => {
        const endpoint = new ScriptedEndpoint(config, () => (this.overlaps += this.#isRunning() ? 1 : 0));
        this.endpoints.push(endpoint);
        return endpoint;
      },
      onTools: () => {},
      onStatus: () => {},
    });
    if (isCrowded) this.takeSlot();
  }

  /** The states so far, the current one last. A refused move is an error, which `expectLegal` reports. */
  get path(): StateName[] {
    return [this.#initial, ...moves.mock.calls.map(([to]) => to.name)];
  }

  get state(): StateName {
    return this.path.at(-1) as StateName;
  }

  get endpoint(): ScriptedEndpoint {
    return this.endpoints.at(-1) as ScriptedEndpoint;
  }

  /** The transitions so far. */
  get taken(): string[] {
    return this.path.slice(1).map((to, at) => `${this.path[at]} -> ${to}`);
  }

  takeSlot(): void {
    const other = { kind: "stdio", id: "other", command: "unused" } as const;
    this.#other ??= this.#plan.enter(other, { isCalled: true, isRestart: false, onWait: () => {} });
  }

  freeSlot(): void {
    this.#other?.leave();
    this.#other = undefined;
  }

  get isSlotTaken(): boolean {
    return this.#other !== undefined;
  }

  expectLegal(): void {
    expect(this.taken.filter((transition) => !LISTED.includes(transition))).toEqual([]);
    expect(moves.mock.results.filter(({ type }) => type === "throw")).toEqual([]);
    expect(this.overlaps).toBe(0);
  }

  #isRunning(): boolean {
    return this.endpoints.some(({ phase }) => ["connecting", "ready", "closing"].includes(phase));
  }
}

/** Waits until an endpoint has closed and the next one has been opened. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const passing = new ProtocolFault("transport", "the connection was lost");
const final = new ProtocolFault("spawn_failed", "it does not exist", {
  cause: Object.assign(new Error("none"), { code: "ENOENT" }),
});
const refusedLogin = new ProtocolFault("transport", "401", { status: 401, reason: "auth" });

const ACTS: { readonly [act: string]: (world: World) => unknown } = {
  start: ({ supervisor }) => void supervisor.start(),
  acquire: (world) => {
    world.waiting += 1;
    const lease = world.supervisor.acquire().finally(() => (world.waiting -= 1));
    world.acquired.push(lease.then((granted) => world.leases.push(granted)).catch(() => {}));
  },
  release: ({ leases }) => leases.pop()?.release(),
  connect: ({ endpoint }) => endpoint.connect(),
  failPassing: ({ endpoint }) => endpoint.fail(passing),
  failFinally: ({ endpoint }) => endpoint.fail(final),
  refuseLogin: ({ endpoint }) => endpoint.fail(refusedLogin),
  closeByHand: ({ endpoint }) => void endpoint.close(),
  fallSilent: ({ endpoint }) => (endpoint.isSilent = true),
  /** It answers nothing, and one call is still within its time. */
  hang: ({ endpoint }) => {
    endpoint.isSilent = true;
    endpoint.beginCall();
    endpoint.missCalls();
  },
  endCalls: ({ endpoint }) => endpoint.endCalls(),
  answerCall: ({ endpoint }) => endpoint.answerCall(),
  speak: ({ endpoint }) => endpoint.traffic.arrived(),
  missCalls: ({ endpoint }) => endpoint.missCalls(),
  restart: ({ supervisor }) => void supervisor.restart(),
  stop: ({ supervisor }) => void supervisor.stop(),
  drain: ({ supervisor }) => void supervisor.stop(1000),
  takeSlot: (world) => world.takeSlot(),
  freeSlot: (world) => world.freeSlot(),
  passShort: ({ clock }) => clock.advance(150),
  passLong: ({ clock }) => clock.advance(20_000),
};

const OPENING: readonly StateName[] = ["starting", "installing", "restarting", "probing"];
const USABLE: readonly StateName[] = ["ready", "slow"];
const LIVE: readonly StateName[] = [...OPENING, ...USABLE, "silent"];
const OVER: readonly StateName[] = ["disabled", "untrusted", "refused", "stopping", "stopped"];

interface Situation {
  readonly from: StateName;
  readonly rules: Rules;
  readonly hasWaiting: boolean;
  readonly isSlotTaken: boolean;
}

/** The states that a start leads to. A server that was ready before installs nothing any more. */
function opened(name: StateName, { rules, isSlotTaken }: Situation): readonly StateName[] {
  if (isSlotTaken) return ["queued"];
  return rules.isInstalled ? [name, "installing"] : [name];
}

/** Where an act leads from a settled state; `undefined` where it depends on time or on leases. */
function outcomeOf(act: string, situation: Situation): readonly StateName[] | undefined {
  const { from, rules, hasWaiting } = situation;
  const isLive = LIVE.includes(from);
  switch (act) {
    case "start":
    case "acquire":
      return from === "dormant" || from === "closed" ? opened("starting", situation) : [from];
    case "connect":
      if (!OPENING.includes(from)) return [from];
      return rules.lazy ? ["ready", "dormant"] : ["ready"];
    case "failPassing":
      if (!isLive) return [from];
      if (!rules.isSupervised) return ["failed"];
      return from === "probing" ? ["tripped"] : ["waiting", "tripped"];
    case "failFinally":
      return [isLive ? "failed" : from];
    case "refuseLogin":
      if (!isLive) return [from];
      return ["needs_login"];
    case "closeByHand":
      if (!isLive) return [from];
      return hasWaiting ? opened("starting", situation) : ["closed"]; // A waiting caller starts the next endpoint at once.
    case "hang":
      return [from === "slow" || from === "ready" ? "silent" : from];
    case "endCalls":
      return from === "silent" ? ["waiting", "tripped", "failed"] : [from];
    case "restart":
      return OVER.includes(from) ? [from] : opened("restarting", situation);
    case "stop":
      return ["stopped"];
    case "drain":
      return ["stopping", "stopped"];
    default:
      return undefined;
  }
}

/** Ends a world and checks that nothing is left and nothing starts again. */
async function end(world: World): Promise<void> {
  await world.supervisor.stop();
  await Promise.all(world.acquired);
  world.freeSlot(); // Nothing may start because of it.
  await settle();
  world.expectLegal();
  expect([world.state, world.clock.sleeping]).toEqual(["stopped", 0]);
  const minted = world.endpoints.length;
  await world.clock.advance(120_000);
  expect([world.state, world.endpoints.length]).toEqual(["stopped", minted]);
  expect(world.endpoints.filter(({ phase }) => phase !== "closed" && phase !== "faulted")).toEqual([]);
}

const someRules: fc.Arbitrary<Rules> = fc.record(
  {
    isEnabled: fc.constantFrom(true, true, true, true, false),
    isSupervised: fc.constantFrom(true, true, true, false),
    isInstalled: fc.constantFrom(false, false, true),
    lazy: fc.boolean(),
    failures: fc.integer({ min: 1, max: 3 }),
    idleMs: fc.constantFrom(1000, 15_000),
    checkMs: fc.constantFrom(100, 5000),
  },
  { requiredKeys: ["isEnabled", "isSupervised", "isInstalled", "lazy", "failures"] },
);
const someActs = fc.array(
  fc.record({ act: fc.constantFrom(...Object.keys(ACTS)), isSettled: fc.boolean() }),
  { maxLength: 30 },
);

verifies(
  "supervise:states",
  "any acts in any order, also at the same moment, make only listed transitions, and stop is the end",
  async () => {
    await fc.assert(
      fc.asyncProperty(someRules, someActs, async (rules, acts) => {
        const world = new World(rules);
        let isSettled = true;
        for (const { act, ...then } of acts) {
          const { state: from, isSlotTaken } = world;
          const situation = { from, rules, hasWaiting: world.waiting > 0, isSlotTaken };
          const wasSettled = isSettled;
          await ACTS[act]?.(world);
          isSettled = then.isSettled;
          if (!isSettled) continue;
          await settle();
          world.expectLegal();
          expect(world.supervisor.status().phase === "ready" && !OVER.includes(world.state)).toBe(
            USABLE.includes(world.state),
          );
          const expected = wasSettled ? outcomeOf(act, situation) : undefined;
          if (expected) expect(expected, `${act} in ${situation.from}`).toContain(world.state);
        }
        await end(world);
      }),
      { numRuns: 600 },
    );
  },
  { timeoutMs: 60_000 },
);

const EXPLORED: readonly Rules[] = [
  { isEnabled: true, isSupervised: true, lazy: false, failures: 1 },
  { isEnabled: true, isSupervised: true, lazy: true, failures: 2, idleMs: 100, checkMs: 50 },
  { isEnabled: true, isSupervised: true, lazy: false, failures: 2, idleMs: 1000, checkMs: 100 },
  { isEnabled: true, isSupervised: false, lazy: false, failures: 1 },
  { isEnabled: false, isSupervised: true, lazy: false, failures: 1 },
  { isEnabled: true, isInstalled: true, isSupervised: true, lazy: false, failures: 1 },
  { isEnabled: true, isInstalled: true, isCrowded: true, isSupervised: true, lazy: false, failures: 2 },
  { isEnabled: true, isRefused: true, isSupervised: true, lazy: true, failures: 1 },
  { isEnabled: true, isPending: true, isSupervised: true, lazy: true, failures: 1 },
];

async function replay(rules: Rules, acts: readonly string[]): Promise<World> {
  const world = new World(rules);
  for (const act of acts) {
    await ACTS[act]?.(world);
    await settle();
  }
  world.expectLegal();
  return world;
}

/** Tries every act in every state that acts can lead to, and returns the transitions this takes. */
async function explore(rules: Rules): Promise<Set<string>> {
  const taken = new Set<string>();
  const reached = new Set<StateName>();
  const queue: (readonly string[])[] = [[]];
  for (let path = queue.shift(); path; path = queue.shift()) {
    const found = await replay(rules, path);
    for (const transition of found.taken) taken.add(transition);
    const { state } = found;
    await end(found);
    if (reached.has(state)) continue;
    reached.add(state);
    for (const act of Object.keys(ACTS)) queue.push([...path, act]);
  }
  return taken;
}

verifies(
  "supervise:states",
  "every listed transition happens, and no other",
  async () => {
    const taken = new Set<string>();
    for (const rules of EXPLORED) for (const transition of await explore(rules)) taken.add(transition);
    expect([...taken].toSorted()).toEqual(LISTED);
  },
  { timeoutMs: 60_000 },
);

verifies("supervise:states", "a move that is not listed is refused and changes nothing", () => {
  const machine = new StateMachine({ name: "dormant" });
  expect(() => machine.move({ name: "ready" })).toThrow("cannot move from dormant to ready");
  expect(machine.state).toEqual({ name: "dormant" });
  const ticket = { granted: Promise.resolve(), call: () => {}, leave: () => {} };
  const left = machine.move({ name: "queued", next: { name: "starting" }, ticket });
  expect([left.aborted, machine.state.name]).toEqual([false, "queued"]);
  machine.move({ name: "starting" });
  expect(left.aborted).toBe(true);
});

verifies("supervise:states", "every state can be reached, and every state but the last can be left", () => {
  const reached = new Set<StateName>(["disabled", "untrusted", "refused", "dormant"]);
  for (const from of reached) for (const to of NEXT_STATES[from]) reached.add(to);
  expect([...reached].toSorted()).toEqual(STATES.toSorted());
  expect(STATES.filter((name) => NEXT_STATES[name].length === 0)).toEqual(["stopped"]);
});

/**
 * The transitions drawn in the state diagrams of a page. A composite state stands for the states inside it, and
 * `state "a, b" as x` for the states it names.
 */
function drawnIn(page: string): { readonly initial: string[]; readonly transitions: string[] } {
  const blocks = [...page.matchAll(/```mermaid\nstateDiagram-v2\n([\s\S]*?)```/g)].map(
    ([, text = ""]) => text,
  );
  const groups = new Map<string, Set<string>>();
  const edges: (readonly [string, string])[] = [];
  let open: Set<string> | undefined;
  for (const line of blocks.join("\n").split("\n")) {
    const [, composite] = /^\s*state (\w+) \{/.exec(line) ?? [];
    const [, names, alias] = /^\s*state "([^"]+)" as (\w+)/.exec(line) ?? [];
    const [, from, to] = /^\s*(\S+) --> (\w+)/.exec(line) ?? [];
    if (composite) groups.set(composite, (open = new Set()));
    if (/^\s*\}/.test(line)) open = undefined;
    if (names && alias) groups.set(alias, new Set(names.split(/,\s*/)));
    if (from && to) {
      edges.push([from, to]);
      open?.add(from).add(to);
    }
  }
  const drawn = edges.flatMap(([from, to]) => [...(groups.get(from) ?? [from])].map((each) => [each, to]));
  return {
    initial: drawn.flatMap(([from, to]) => (from === "[*]" && to ? [to] : [])).toSorted(),
    transitions: [
      ...new Set(drawn.flatMap(([from, to]) => (from === "[*]" ? [] : [`${from} -> ${to}`]))),
    ].toSorted(),
  };
}

verifies("supervise:states", "the diagram in the documentation draws the transitions of the table", () => {
  const page = readFileSync(new URL("../../../../../docs/architecture.md", import.meta.url), "utf8");
  const [, section = ""] = page.split("## A server's life\n");
  expect(drawnIn(section.split("\n## ")[0] ?? "")).toEqual({
    initial: ["disabled", "dormant", "refused", "untrusted"],
    transitions: LISTED,
  });
});
