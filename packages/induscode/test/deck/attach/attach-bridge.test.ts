import { verifies } from "@indus/testkit";
import type { BridgeConfig, BridgeOptions, ServerConfig } from "indusagi/interop";
import {
  type AttachResult,
  attachBridgeCapabilities,
  BridgeLedger,
  bridgeStatus,
  bridgeToolCounts,
  bridgeToolNames,
  DeckFault,
  detachBridge,
} from "induscode/deck";
import { expect } from "vitest";
import { inProcess, isAlive, scripted } from "../../../../indusagi/test/interop/kit/scripted.ts";
import { AT, sampleCapability } from "../ledger/sample-tools.ts";

/** The scripted server has so many tools. */
const TOOLS = 22;

const row = (id: string): ServerConfig => ({ kind: "stdio", id, command: "unused" });
const options: BridgeOptions = { transport: () => inProcess() };

async function attached(ledger: BridgeLedger, ...ids: string[]) {
  const result = await attachBridgeCapabilities(ledger, { servers: ids.map(row) }, options);
  const { fleet } = result;
  if (!fleet) throw new Error("nothing was mounted");
  return { ...result, fleet, [Symbol.asyncDispose]: () => fleet.tearDown() };
}

verifies(
  "ledger:attach",
  "the tools of all servers are enrolled, and the ledger given is unchanged",
  async () => {
    const before = BridgeLedger.empty();
    await using result = await attached(before, "one", "a__b");
    expect(result.enrolled).toBe(2 * TOOLS);
    expect(result.fault).toBeUndefined();
    expect([...(result.status?.keys() ?? [])]).toEqual(["one", "a__b"]);
    expect(before.log).toEqual([]);
    expect(result.ledger.log.every(({ op }) => op === "enroll")).toBe(true);
    // The owner is the server's own id, although the id contains the separator.
    expect(bridgeToolCounts(result.ledger)).toEqual(
      new Map([
        ["one", TOOLS],
        ["a__b", TOOLS],
      ]),
    );
    const echo = result.ledger.liveCapabilities().find(({ name }) => name === "one__echo");
    expect(await echo?.run({ text: "hi" })).toMatchObject({ content: [{ kind: "text", text: "hi" }] });
  },
);

verifies("ledger:attach", "an empty configuration returns the same ledger and nothing else", async () => {
  const ledger = BridgeLedger.empty().enroll(
    { capability: sampleCapability("fs", "read"), server: "fs" },
    AT,
  );
  const result = await attachBridgeCapabilities(ledger, { servers: [] });
  expect(Object.keys(result).sort()).toEqual(["enrolled", "ledger"]);
  expect(result.ledger).toBe(ledger);
  expect(result.enrolled).toBe(0);
});

verifies(
  "ledger:attach",
  "a server that fails is in the status and keeps no other from attaching",
  async () => {
    const dead: ServerConfig = { kind: "stdio", id: "dead", command: "/nonexistent/server" };
    const result = await attachBridgeCapabilities(
      BridgeLedger.empty(),
      { servers: [dead, row("well")] },
      { transport: ({ id }) => (id === "well" ? inProcess() : undefined), supervision: false },
    );
    try {
      expect(result.enrolled).toBe(TOOLS);
      expect(result.fault).toBeUndefined();
      expect(result.status?.get("dead")?.phase).toBe("faulted");
      expect(bridgeToolCounts(result.ledger)).toEqual(new Map([["well", TOOLS]]));
    } finally {
      await result.fleet?.tearDown();
    }
  },
);

verifies(
  "ledger:attach",
  "a bad configuration is a fault in the result, and its good rows are mounted",
  async () => {
    const ledger = BridgeLedger.empty();
    const attach = (config: unknown, more: BridgeOptions = {}): Promise<AttachResult> =>
      attachBridgeCapabilities(ledger, config as BridgeConfig, { ...options, ...more });

    const some = await attach({ servers: [row("good"), { kind: "stdio", command: "x" }, null, row("")] });
    await some.fleet?.tearDown();
    expect(some.enrolled).toBe(TOOLS);
    expect(some.fault).toBeInstanceOf(DeckFault);
    expect(some.fault).toMatchObject({
      kind: "bridge",
      message: expect.stringMatching(/^not mounted: row 2 of .*; row 3 of .*; row 4 of /) as unknown,
    });

    for (const config of [undefined, null, 7, {}, { servers: { a: row("a") } }]) {
      const none = await attach(config);
      expect(none).toEqual({ ledger, enrolled: 0, fault: expect.any(DeckFault) as unknown });
      expect(none.ledger).toBe(ledger);
    }

    const refused = await attach({ servers: [row("good")] }, { startConcurrency: 0 });
    expect(refused.fault?.message).toContain("startConcurrency");
    expect(refused.ledger).toBe(ledger);
  },
);

verifies(
  "ledger:attach",
  "a row of wrong types is in the status and in the fault, and its values are not shown",
  async () => {
    const odd = { kind: "stdio", id: "odd", command: "x", args: "--token=sesame" } as unknown as ServerConfig;
    const lost = { kind: "sse", url: undefined } as unknown as ServerConfig;
    const config = { servers: [odd, lost, row("well")] };
    const result = await attachBridgeCapabilities(BridgeLedger.empty(), config, options);
    await result.fleet?.tearDown();
    const phases = [...(result.status ?? [])].map(([id, { phase }]) => `${id}: ${phase}`);
    expect(phases).toEqual(["odd: faulted", "row 2: faulted", "well: ready"]);
    expect(bridgeToolCounts(result.ledger)).toEqual(new Map([["well", TOOLS]]));
    expect(result.fault?.message).toMatch(/^not mounted: server "odd" .*"args".*; row 2 of .*"id"/);
    expect(result.fault?.message).not.toContain("sesame");
  },
);

verifies("ledger:attach", "what the ledger had of a server is replaced, and other servers stay", async () => {
  const old = ["one", "fs"].reduce(
    (next, server) => next.enroll({ capability: sampleCapability(server, "gone"), server }, AT),
    BridgeLedger.empty(),
  );
  await using first = await attached(old, "one");
  expect(bridgeToolNames(first.ledger)[0]).toBe("fs__gone");
  expect(bridgeToolNames(first.ledger)).not.toContain("one__gone");
  await using second = await attached(first.ledger, "one");
  expect(second.enrolled).toBe(TOOLS);
  expect(bridgeToolNames(second.ledger)).toEqual(bridgeToolNames(first.ledger));
  // The same tools have the same keys, and calls go to the new fleet.
  await first.fleet.tearDown();
  const echo = second.ledger.liveCapabilitiesForServer("one").find(({ name }) => name === "one__echo");
  expect((await echo?.run({ text: "again" }))?.isError).toBeUndefined();
});

verifies("ledger:detach", "named servers are withdrawn and removed, and the others stay", async () => {
  await using result = await attached(BridgeLedger.empty(), "one", "two", "three");
  const after = await detachBridge(result.ledger, result.fleet, ["one", "three", "unknown"]);
  expect([...bridgeStatus(result.fleet).keys()]).toEqual(["two"]);
  expect(bridgeToolCounts(after)).toEqual(new Map([["two", TOOLS]]));
  expect(after.log.slice(result.ledger.log.length).map(({ op }) => op)).toEqual(
    Array.from({ length: 2 * TOOLS }, () => "retire"),
  );
  expect(bridgeToolCounts(result.ledger).size).toBe(3);
  expect(await detachBridge(after, result.fleet, [])).toBe(after);
  expect([...bridgeStatus(result.fleet).keys()]).toEqual(["two"]);
});

verifies(
  "ledger:detach",
  "without names all servers of the fleet are withdrawn and their processes ended",
  async () => {
    const before = BridgeLedger.empty().enroll(
      { capability: sampleCapability("fs", "read"), server: "fs" },
      AT,
    );
    const { ledger, fleet } = await attachBridgeCapabilities(before, { servers: [scripted("s")] });
    if (!fleet) throw new Error("nothing was mounted");
    const pid = await ledger
      .liveCapabilities()
      .find(({ name }) => name === "s__pid")
      ?.invoke({ id: "1", name: "s__pid", input: {} });
    const after = await detachBridge(ledger, fleet);
    expect(isAlive(Number(pid?.output))).toBe(false);
    expect(bridgeStatus(fleet).size).toBe(0);
    // The tool of another fleet is not of this one.
    expect(bridgeToolNames(after)).toEqual(["fs__read"]);
  },
);
