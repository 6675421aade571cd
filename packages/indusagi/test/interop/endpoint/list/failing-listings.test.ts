import { verifies } from "@indus/testkit";
import { createServerEndpoint, type InjectedTransport, ServerFleetImpl } from "indusagi/interop";
import { expect } from "vitest";
import { inProcess } from "../../kit/scripted.ts";

const config = { kind: "stdio", id: "s", command: "unused" } as const;

interface Failing {
  readonly transport: InjectedTransport;
  /** Number of requests for the tools. */
  readonly lists: () => number;
  /** The next listings to refuse. */
  fail(times: number): void;
}

/** The scripted server behind a transport that refuses listings on demand. */
function failing(times: number): Failing {
  const transport = inProcess({ era: "legacy" });
  const send = transport.send.bind(transport);
  let lists = 0;
  let left = times;
  transport.send = async (message, options) => {
    if (message.method !== "tools/list") return send(message, options);
    lists++;
    if (left-- <= 0) return send(message, options);
    const error = { code: -32_603, message: "the database is still starting" };
    queueMicrotask(() => transport.onmessage?.({ jsonrpc: "2.0", id: message.id ?? 0, error }));
  };
  return {
    transport,
    lists: () => lists,
    fail: (more) => {
      left = more;
    },
  };
}

verifies(
  "endpoint:failed-listing",
  "a first listing that failed is repeated, and its tools are reported",
  async () => {
    const { transport, lists } = failing(2);
    const endpoint = createServerEndpoint(config, transport);
    await endpoint.open();
    const told: number[] = [];
    endpoint.onToolsChanged(({ tools }) => told.push(tools.length));
    await expect(endpoint.listTools()).rejects.toThrow("the database is still starting");
    expect(endpoint.status().listFailure).toContain("the database is still starting");
    await expect.poll(() => told, { timeout: 5000 }).toEqual([22]);
    expect(endpoint.status()).not.toHaveProperty("listFailure");
    expect([lists(), endpoint.status().toolCount]).toEqual([3, 22]);
    await endpoint.close();
  },
);

verifies("endpoint:failed-listing", "a request before the next attempt is answered at once", async () => {
  const { transport } = failing(1);
  const endpoint = createServerEndpoint(config, transport);
  await endpoint.open();
  const told: number[] = [];
  endpoint.onToolsChanged(({ tools }) => told.push(tools.length));
  await expect(endpoint.listTools()).rejects.toThrow();
  expect(await endpoint.listTools()).toHaveLength(22);
  expect(told).toEqual([22]);
  await endpoint.close();
});

verifies("endpoint:failed-listing", "a change whose listing failed is fetched later", async () => {
  const { transport, fail } = failing(0);
  const endpoint = createServerEndpoint(config, transport);
  await endpoint.open();
  await endpoint.listTools();
  fail(1);
  await endpoint.invoke("change", {});
  await expect.poll(() => endpoint.status().toolCount, { timeout: 5000 }).toBe(23);
  await endpoint.close();
});

verifies("endpoint:failed-listing", "closing ends the attempts", async () => {
  const { transport, lists } = failing(1000);
  const endpoint = createServerEndpoint(config, transport);
  await endpoint.open();
  await expect(endpoint.listTools()).rejects.toThrow();
  await expect.poll(lists, { timeout: 5000 }).toBeGreaterThan(1);
  await endpoint.close();
  const tries = lists();
  await new Promise((resolve) => setTimeout(resolve, 600)); // Longer than the delay before the next attempt.
  expect(lists()).toBe(tries);
});

verifies(
  "supervise:unlisted",
  "an idle server runs until its tools are listed, and rests from then on",
  async () => {
    const { transport, lists, fail } = failing(1000);
    const fleet = new ServerFleetImpl({ transport: () => transport });
    await fleet.start({ servers: [{ ...config, lazy: true, idleMs: 20 }] });
    await expect.poll(lists, { timeout: 5000 }).toBeGreaterThan(1);
    expect(fleet.status().get("s")).toMatchObject({ phase: "ready", toolCount: 0 });
    expect(fleet.status().get("s")?.listFailure).toContain("the database is still starting");
    fail(0);
    await expect.poll(() => fleet.status().get("s")?.state, { timeout: 10_000 }).toBe("dormant");
    expect(fleet.status().get("s")?.toolCount).toBe(22);
    await fleet.tearDown();
  },
);

verifies("endpoint:failed-listing", "a fleet offers the tools as soon as they can be listed", async () => {
  const { transport } = failing(1);
  const fleet = new ServerFleetImpl({ transport: () => transport });
  const heard: number[] = [];
  fleet.onChange(({ tools }) => heard.push(tools.length));
  await fleet.start({ servers: [config] });
  expect(fleet.status().get("s")).toMatchObject({ phase: "ready", toolCount: 0 });
  await expect.poll(() => heard, { timeout: 5000 }).toEqual([22]);
  expect(fleet.catalogue("s")).toHaveLength(22);
  await fleet.tearDown();
});
