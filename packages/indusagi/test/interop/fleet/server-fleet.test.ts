import { verifies } from "@indus/testkit";
import {
  type BridgeConfig,
  type FleetOptions,
  type InjectedTransport,
  linkedTransports,
  type ServerConfig,
  ServerFleetImpl,
  startServerFleet,
} from "indusagi/interop";
import { expect } from "vitest";
import { bridgeBox } from "../../../src/interop/bridge/index.ts";
import { inProcess } from "../kit/scripted.ts";

const server = (id: string): ServerConfig => ({
  kind: "stdio",
  id,
  command: "/no/such/program",
  ...(id.startsWith("mute") ? { timeouts: { connectMs: 500 } } : {}),
});
const config = (...ids: string[]): BridgeConfig => ({ servers: ids.map(server) });

/** Every server runs in this process, except `dead…` and `mute…`. */
const options: FleetOptions = {
  probeMs: 5000,
  transport: ({ id }) => {
    if (id.startsWith("dead")) return undefined;
    return id.startsWith("mute") ? linkedTransports()[0] : inProcess();
  },
};

const phases = (fleet: ServerFleetImpl): string[] =>
  [...fleet.status()].map(([id, { phase }]) => `${id}:${phase}`);

verifies(
  "fleet:isolation",
  "a dead and a mute server stay in the status with their faults; the others are ready",
  async () => {
    const fleet = await startServerFleet(config("a", "dead", "mute", "b"), options);
    expect(phases(fleet)).toEqual(["a:ready", "dead:faulted", "mute:faulted", "b:ready"]);
    expect(fleet.status().get("dead")?.fault).toMatchObject({ kind: "spawn_failed", server: "dead" });
    expect(fleet.status().get("mute")?.fault).toMatchObject({ kind: "timeout", server: "mute" });
    expect(fleet.status().get("b")?.toolCount).toBe(22);
    await fleet.tearDown();
    expect(fleet.endpoints()).toEqual([]);
  },
);

verifies("fleet:isolation", "a row whose members have wrong types fails alone", async () => {
  const wrong = { kind: "stdio", id: "dead", command: 5, args: 7 } as unknown as ServerConfig;
  const fleet = await startServerFleet({ servers: [server("a"), wrong] }, options);
  expect(phases(fleet)).toEqual(["a:ready", "dead:faulted"]);
  await fleet.tearDown();
});

verifies("fleet:order", "ids like 2 and 1 keep their order, and the later row of an id counts", async () => {
  const twice: BridgeConfig = {
    servers: [
      server("2"),
      server("dead"),
      server("1"),
      { kind: "sse", id: "dead", url: "http://127.0.0.1:1/" },
    ],
  };
  const fleet = await startServerFleet(twice, options);
  expect([...fleet.status().keys()]).toEqual(["2", "dead", "1"]);
  expect(fleet.endpoints().map((endpoint) => endpoint.config.id)).toEqual(["2", "dead", "1"]);
  expect(fleet.endpoint("dead")?.config.kind).toBe("sse");
  await fleet.tearDown();
});

verifies("fleet:membership", "adding, replacing and removing touch no other server", async () => {
  const fleet = await startServerFleet(config("a"), options);
  const [a] = fleet.endpoints();
  const changes: string[] = [];
  fleet.onChange(({ server: id, tools }) => changes.push(`${id}:${tools.length}`));
  await fleet.addServer(server("b"));
  await fleet.addServer(server("dead"));
  expect(phases(fleet)).toEqual(["a:ready", "b:ready", "dead:faulted"]);
  const old = fleet.endpoint("b");
  await fleet.addServer(server("b"));
  expect(old?.phase).toBe("closed");
  expect(fleet.endpoint("b")?.phase).toBe("ready");
  expect(await fleet.removeServer("b")).toBe(true);
  expect(await fleet.removeServer("b")).toBe(false);
  expect(fleet.endpoint("a")).toBe(a);
  expect(a?.phase).toBe("ready");
  expect(changes).toEqual(["b:22", "b:0", "b:22", "b:0"]);
  await fleet.spinUp();
  expect(phases(fleet)).toEqual(["a:ready", "dead:faulted"]);
  await fleet.tearDown();
});

verifies(
  "fleet:spin-up",
  "it rejects without a configuration, and starts the last one again, also after tearDown",
  async () => {
    const fleet = new ServerFleetImpl(options);
    await expect(fleet.spinUp()).rejects.toMatchObject({ kind: "not_connected" });
    await fleet.start(config("a"));
    const first = fleet.endpoint("a");
    await fleet.tearDown();
    await fleet.spinUp();
    expect(fleet.endpoint("a")).not.toBe(first);
    expect([first?.phase, fleet.endpoint("a")?.phase]).toEqual(["closed", "ready"]);
    await fleet.tearDown();
  },
);

verifies(
  "fleet:starts-at-once",
  "of starts at the same time the last one counts, and all of them settle",
  async () => {
    const living = new Set<object>();
    const counted: FleetOptions = {
      probeMs: 5000,
      transport: () => {
        const transport = inProcess();
        const [start, close] = [transport.start.bind(transport), transport.close.bind(transport)];
        return Object.assign(transport, {
          start: () => (living.add(transport), start()),
          close: () => (living.delete(transport), close()),
        });
      },
    };
    const fleet = new ServerFleetImpl(counted);
    await Promise.all([fleet.start(config("a", "b")), fleet.start(config("b", "c"))]);
    expect([phases(fleet), living.size]).toEqual([["b:ready", "c:ready"], 2]);
    await Promise.all([fleet.spinUp(), fleet.start(config("a")), fleet.spinUp()]);
    expect([phases(fleet), living.size]).toEqual([["a:ready"], 1]);
    const starting = fleet.spinUp();
    await fleet.tearDown();
    await starting;
    expect([fleet.endpoints(), living.size]).toEqual([[], 0]);
  },
);

verifies("fleet:spin-up", "waitMs bounds the start; late servers join by themselves", async () => {
  const fleet = await startServerFleet(
    { servers: [server("a"), { ...server("mute"), timeouts: {} }] },
    { ...options, waitMs: 50 },
  );
  expect(fleet.endpoint("mute")?.phase).toBe("connecting");
  await expect.poll(() => fleet.catalogue("a"), { timeout: 10_000 }).toHaveLength(22);
  await fleet.tearDown();
});

verifies("fleet:lease", "a ready endpoint is leased; an unknown or dead server is refused", async () => {
  const fleet = await startServerFleet(
    { servers: [server("a"), server("dead"), { ...server("p"), share: "unknown" as "fleet" }] },
    options,
  );
  const lease = await fleet.acquire("a");
  expect(lease.endpoint).toBe(fleet.endpoint("a"));
  lease.release();
  await expect(fleet.acquire("unknown")).rejects.toMatchObject({ kind: "not_connected", retrySafe: true });
  await expect(fleet.acquire("dead")).rejects.toBe(fleet.status().get("dead")?.fault);
  await expect(fleet.acquire("p")).rejects.toMatchObject({ kind: "not_connected", reason: "unsupported" });
  expect(fleet.catalogue("a")).toHaveLength(22);
  expect(fleet.catalogue("unknown")).toEqual([]);
  await fleet.tearDown();
});

verifies("fleet:chosen", "a disabled server is shown and not started", async () => {
  const fleet = await startServerFleet(
    { servers: [{ ...server("a"), enabled: false }, server("b")] },
    options,
  );
  expect(fleet.status().get("a")).toMatchObject({
    phase: "idle",
    state: "disabled",
    toolCount: 0,
    summary: expect.stringContaining('"enabled": true'),
  });
  await expect(fleet.acquire("a")).rejects.toMatchObject({ kind: "not_connected", reason: "disabled" });
  expect(await fleet.restart("a")).toBe(true);
  expect(fleet.endpoint("a")?.phase).toBe("idle");
  expect(fleet.catalogue("b")).toHaveLength(22);
  await fleet.tearDown();
});

verifies("fleet:chosen", "only the tools that the configuration selects are offered", async () => {
  const fleet = await startServerFleet(
    {
      servers: [
        { ...server("a"), includeTools: ["echo", "boom", "no such tool"], excludeTools: ["boom"] },
        { ...server("b"), excludeTools: ["echo"] },
      ],
    },
    options,
  );
  expect(fleet.catalogue("a").map((tool) => tool.ref.name)).toEqual(["echo"]);
  expect(fleet.status().get("a")?.toolCount).toBe(1);
  expect(fleet.catalogue("b")).toHaveLength(21);
  await fleet.tearDown();
});

/** A server in this process whose first listed tool has an output schema that is too deep to compare. */
function deepListing(): InjectedTransport {
  const transport = inProcess({ era: "legacy" });
  const start = transport.start.bind(transport);
  const levels = 100_000;
  const outputSchema: unknown = JSON.parse(`${'{"items":'.repeat(levels)}{}${"}".repeat(levels)}`);
  return Object.assign(transport, {
    start: async () => {
      const receive = transport.onmessage?.bind(transport);
      transport.onmessage = (message) => {
        const tools = (message.result as { tools?: object[] } | undefined)?.tools;
        if (tools) Object.assign(tools[0] ?? {}, { outputSchema });
        receive?.(message);
      };
      await start();
    },
  });
}

verifies(
  "listing:same-definition",
  "a server with an output schema that is too deep restarts, and the other servers keep their tools",
  async () => {
    const fleet = await startServerFleet(config("deep", "b"), {
      probeMs: 5000,
      transport: ({ id }) => (id === "deep" ? deepListing() : inProcess()),
    });
    const box = bridgeBox(fleet);
    const before = box.descriptors();
    const changed: string[] = [];
    box.onChange((change) => changed.push(...change.changed.map(({ name }) => name)));
    const [deep, same] = fleet.catalogue("deep");
    await fleet.restart("deep");
    expect(phases(fleet)).toEqual(["deep:ready", "b:ready"]);
    expect([fleet.catalogue("deep")[0] === deep, fleet.catalogue("deep")[1] === same]).toEqual([false, true]);
    expect([changed, box.descriptors().length]).toEqual([[deep?.descriptor.name], before.length]);
    await fleet.tearDown();
  },
);
