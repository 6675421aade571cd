import { verifies } from "@indus/testkit";
import {
  createProviderHost,
  createServerEndpoint,
  type HostClient,
  type ProtocolEra,
  type ProviderHost,
  serveHttp,
} from "indusagi/interop";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "../box-of.ts";
import { hostPair, legacyOnly } from "../host-pair.ts";

const box = boxOf({ one: () => textResult("1") });

/** A host whose first listings wait until `open` is called, and the clients that waited. */
function waitingHost(): { readonly host: ProviderHost; readonly clients: HostClient[]; open(): void } {
  const clients: HostClient[] = [];
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const beforeFirstListing = (client: HostClient): Promise<void> => {
    clients.push(client);
    return opened;
  };
  return { host: createProviderHost(box, undefined, {}, { beforeFirstListing }), clients, open };
}

for (const era of ["legacy", "modern"] satisfies ProtocolEra[]) {
  verifies(
    "catalogue:first-list",
    `${era}: the first listing of each connection waits, later ones do not`,
    async () => {
      const { host, clients, open } = waitingHost();
      await using pair = await hostPair(era, box, { host });
      const session = pair.endpoint.session(); // Connecting does not wait.
      let answered = 0;
      const listings = [1, 2].map(() => session.request("tools/list").finally(() => answered++));
      await session.request(era === "legacy" ? "ping" : "server/discover");
      expect(answered).toBe(0);
      open();
      await Promise.all(listings);
      await session.request("tools/list");
      expect(clients).toHaveLength(1);
      expect(clients[0]).toMatchObject({ era, client: { name: "indus-protocol-bridge" } });
      await using other = await hostPair(era, box, { host });
      await other.endpoint.listTools();
      expect(clients).toHaveLength(2);
    },
  );

  verifies("catalogue:first-list", `${era} over HTTP: each client waits once`, async () => {
    const { host, clients, open } = waitingHost();
    const listener = await serveHttp(host, { port: 0 });
    const config = { kind: "streamable-http", id: "host", url: listener.url } as const;
    const connect = async (): Promise<ReturnType<typeof createServerEndpoint>> => {
      const endpoint = createServerEndpoint(config, undefined, era === "legacy" ? { eras: legacyOnly } : {});
      await endpoint.open();
      return endpoint;
    };
    const first = await connect();
    const listing = first.session().request("tools/list");
    await expect.poll(() => clients.length).toBe(1);
    open();
    await listing;
    await first.session().request("tools/list");
    const second = await connect();
    await second.session().request("tools/list");
    // In the modern era there is no connection: it is the same client.
    expect(clients).toHaveLength(era === "legacy" ? 2 : 1);
    await Promise.all([first.close(), second.close()]);
    await listener.close();
  });
}

for (const era of ["legacy", "modern"] satisfies ProtocolEra[])
  verifies(
    "catalogue:list-before-starts",
    `${era}: the host reports the first list of a connection once it is sent`,
    async () => {
      let lists = 0;
      const host = createProviderHost(box, undefined, {}, { afterFirstListing: () => void lists++ });
      await using pair = await hostPair(era, box, { host });
      const session = pair.endpoint.session();
      await session.request(era === "legacy" ? "ping" : "server/discover");
      expect(lists).toBe(0);
      await session.request("tools/list");
      await expect.poll(() => lists).toBe(1);
      await session.request("tools/list");
      expect(lists).toBe(1);
    },
  );

verifies("catalogue:first-list", "a wait that fails does not fail the listing", async () => {
  const beforeFirstListing = (): Promise<void> => Promise.reject(new Error("broken"));
  const host = createProviderHost(box, undefined, {}, { beforeFirstListing });
  await using pair = await hostPair("legacy", box, { host });
  expect(await pair.endpoint.listTools()).toHaveLength(1);
});

for (const era of ["legacy", "modern"] satisfies ProtocolEra[])
  verifies("catalogue:one-page", `${era}: three thousand tools are one page`, async () => {
    const tools = Array.from({ length: 3_000 }, (_, at) => [`tool_${at}`, () => textResult("")] as const);
    await using pair = await hostPair(era, boxOf(Object.fromEntries(tools)));
    const page = (await pair.endpoint.session().request("tools/list")) as { readonly tools: unknown[] };
    expect(page.tools).toHaveLength(3_000);
    expect(page).not.toHaveProperty("nextCursor");
  });

verifies("catalogue:capabilities", "list changes are advertised for everything that is offered", async () => {
  const empty = { list: () => ({}), get: () => undefined, read: () => undefined };
  await using plain = await hostPair("legacy", box, { providers: { prompts: empty, resources: empty } });
  expect(plain.endpoint.session().capabilities).toMatchObject({
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true },
  });
  expect(plain.endpoint.session().capabilities["resources"]).not.toHaveProperty("subscribe");
  const reporting = { ...empty, onUpdated: () => () => {} };
  await using watched = await hostPair("legacy", box, { providers: { resources: reporting } });
  expect(watched.endpoint.session().capabilities["resources"]).toEqual({
    subscribe: true,
    listChanged: true,
  });
});
