import { verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  createServerEndpoint,
  type EndpointPhase,
  isProtocolFault,
  linkedTransports,
  type ServerEndpointImpl,
} from "indusagi/interop";
import { expect } from "vitest";
import { inProcess } from "../kit/scripted.ts";

const config = { kind: "stdio", id: "s", command: "unused" } as const;

/** The state machine of the specification: the phase that each action leads to. */
interface Model {
  phase: EndpointPhase;
}

type Act = (endpoint: ServerEndpointImpl) => Promise<unknown>;
const outcomeOf = async (act: Promise<unknown>): Promise<string> =>
  act.then(
    () => "ok",
    (thrown: unknown) => (isProtocolFault(thrown) ? thrown.kind : "other"),
  );

class Command implements fc.AsyncCommand<Model, { endpoint: ServerEndpointImpl }> {
  readonly name: string;
  readonly act: Act;
  readonly expected: (model: Model) => string;
  constructor(name: string, act: Act, expected: (model: Model) => string) {
    this.name = name;
    this.act = act;
    this.expected = expected;
  }
  check = (): boolean => true;
  async run(model: Model, real: { endpoint: ServerEndpointImpl }): Promise<void> {
    const expected = this.expected(model);
    expect(await outcomeOf(this.act(real.endpoint)), `${this.name} in ${model.phase}`).toBe(expected);
    expect(real.endpoint.phase).toBe(model.phase);
  }
  toString = (): string => this.name;
}

const needsReady = (model: Model): string => (model.phase === "ready" ? "ok" : "not_connected");
const acts = [
  new Command(
    "open",
    (endpoint) => endpoint.open(),
    (model) => {
      if (model.phase === "closed") return "not_connected";
      model.phase = "ready";
      return "ok";
    },
  ),
  new Command(
    "openTwice",
    (endpoint) => Promise.all([endpoint.open(), endpoint.open()]),
    (model) => {
      if (model.phase === "closed") return "not_connected";
      model.phase = "ready";
      return "ok";
    },
  ),
  new Command("list", (endpoint) => endpoint.listTools(), needsReady),
  new Command("invoke", (endpoint) => endpoint.invoke("echo", {}), needsReady),
  new Command(
    "close",
    (endpoint) => endpoint.close(),
    (model) => {
      model.phase = "closed";
      return "ok";
    },
  ),
  new Command(
    "closeTwice",
    (endpoint) => Promise.all([endpoint.close(), endpoint.close()]),
    (model) => {
      model.phase = "closed";
      return "ok";
    },
  ),
];

verifies("endpoint:phases", "any order of actions leads where the table says", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(
        acts.map((act) => fc.constant(act)),
        { maxCommands: 8 },
      ),
      async (commands) => {
        const endpoint = createServerEndpoint(config, inProcess({ era: "legacy" }), { probeMs: 10_000 });
        await fc.asyncModelRun(
          () => ({ model: { phase: "idle" as EndpointPhase }, real: { endpoint } }),
          commands,
        );
        await endpoint.close();
      },
    ),
    { numRuns: 40 },
  );
});

verifies("endpoint:single-flight", "an attempt is shared, and continues when one caller aborts", async () => {
  const endpoint = createServerEndpoint(config, inProcess());
  const abort = new AbortController();
  const reason = new Error("too slow for me");
  const first = endpoint.open(abort.signal);
  const second = endpoint.open();
  expect(endpoint.phase).toBe("connecting");
  abort.abort(reason);
  await expect(first).rejects.toBe(reason);
  await second;
  expect(endpoint.phase).toBe("ready");
  await endpoint.close();
});

verifies("endpoint:single-shot", "a faulted endpoint always rejects with the same fault", async () => {
  const endpoint = createServerEndpoint({ kind: "stdio", id: "gone", command: "/no/such/program" });
  const faults = await Promise.all([0, 1].map(() => endpoint.open().catch((thrown: unknown) => thrown)));
  expect(endpoint.phase).toBe("faulted");
  expect(faults[0]).toMatchObject({ kind: "spawn_failed", server: "gone" });
  expect(faults[1]).toBe(faults[0]);
  await expect(endpoint.listTools()).rejects.toBe(faults[0]);
  await endpoint.close();
  expect(endpoint.phase).toBe("faulted");
  expect(endpoint.status().fault).toBe(faults[0]);
});

verifies("endpoint:single-shot", "closing while connecting ends in closed, and open rejects", async () => {
  const [client] = linkedTransports();
  const endpoint = createServerEndpoint(config, client, { probeMs: 10_0000 });
  const opening = endpoint.open();
  const ended = new Promise((resolve) => endpoint.onEnd(resolve));
  await endpoint.close();
  await expect(opening).rejects.toMatchObject({ kind: "not_connected" });
  expect(endpoint.phase).toBe("closed");
  expect(await ended).toBeUndefined();
});
