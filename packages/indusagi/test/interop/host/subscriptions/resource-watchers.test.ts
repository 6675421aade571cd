import { verifies } from "@indus/testkit";
import { createProviderHost, linkedTransports, type SessionNotification, serveHttp } from "indusagi/interop";
import { expect } from "vitest";
import { watchWhileOpen } from "../../../../src/interop/host/stream/push-while-open.ts";
import { ResourceWatchers } from "../../../../src/interop/host/subscriptions/resource-watchers.ts";
import { boxOf } from "../box-of.ts";
import { hostPair } from "../host-pair.ts";
import { errorOf, inSession, modernRequest, openSession, type RawMessage, send } from "../http/raw-http.ts";
import { WatchedShelf } from "./watched-shelf.ts";

const box = boxOf({});

const soon = <Value>(value: () => Value) => expect.poll(value, { timeout: 5_000 });

function subscribe(uri: string, method = "resources/subscribe"): object {
  return { jsonrpc: "2.0", id: 1, method, params: { uri } };
}

function listen(id: number | string, uris: unknown): ReturnType<typeof modernRequest> {
  return modernRequest(id, "subscriptions/listen", { notifications: { resourceSubscriptions: uris } });
}

/** A host of this shelf on HTTP, and its reports. */
async function listening(shelf: WatchedShelf, sessionIdleMs?: number) {
  const reports: string[] = [];
  const host = createProviderHost(box, undefined, shelf, { report: (message) => void reports.push(message) });
  const listener = await serveHttp(host, {
    port: 0,
    limits: { drainMs: 50, ...(sessionIdleMs === undefined ? {} : { sessionIdleMs }) },
  });
  return { ...listener, reports, [Symbol.asyncDispose]: () => listener.close() };
}

/** A raw modern client on a connection. */
async function connected(shelf: WatchedShelf) {
  const [ours, theirs] = linkedTransports();
  const answers: RawMessage[] = [];
  ours.onmessage = (message) => void answers.push(message as RawMessage);
  await ours.start();
  const running = await createProviderHost(box, undefined, shelf).connect(theirs);
  return {
    answers,
    send: (body: unknown) => ours.send(body as Parameters<typeof ours.send>[0]),
    close: () => ours.close(),
    [Symbol.asyncDispose]: () => running.cancel(),
  };
}

const cancelled = (requestId: unknown): object => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});

verifies("host:watches", "a session that ends takes nothing from another session", async () => {
  const shelf = new WatchedShelf();
  const host = createProviderHost(box, undefined, shelf);
  const alice = await hostPair("legacy", box, { host });
  const bob = await hostPair("legacy", box, { host });
  const heard: SessionNotification[] = [];
  bob.endpoint.session().onNotification((notification) => void heard.push(notification));
  for (const { endpoint } of [alice, bob, bob])
    await endpoint.session().request("resources/subscribe", { uri: "test://a" });
  await alice[Symbol.asyncDispose]();
  await soon(() => shelf.listeners).toBe(2);
  expect(shelf.told).toEqual(["+test://a"]);
  shelf.update("test://a");
  await soon(() => heard.map(({ params }) => params?.["uri"])).toEqual(["test://a"]);
  await bob.endpoint.session().request("resources/unsubscribe", { uri: "test://a" });
  expect(shelf.told).toEqual(["+test://a", "-test://a"]);
  shelf.update("test://a");
  await bob.endpoint.session().request("resources/unsubscribe", { uri: "test://a" });
  await bob[Symbol.asyncDispose]();
  expect(heard).toHaveLength(1);
  expect(shelf.told).toEqual(["+test://a", "-test://a"]);
});

verifies(
  "host:watches",
  "modern HTTP: the resources of a stream are watched until the last stream ends",
  async () => {
    const shelf = new WatchedShelf();
    const listener = await listening(shelf);
    const heard: string[] = [];
    const [first, second] = [new AbortController(), new AbortController()];
    const streams = [first, second].map(({ signal }, at) =>
      send(listener.url, {
        ...listen(at, at === 0 ? ["test://a", "test://a"] : ["test://a", "test://b"]),
        signal,
        onText: (text) => void heard.push(text),
      }).catch(() => {}),
    );
    await soon(() => heard.filter((text) => text.includes("acknowledged")).length).toBe(2);
    expect(shelf.told.toSorted()).toEqual(["+test://a", "+test://b"]);
    shelf.update("test://b");
    await soon(() => heard.join("")).toContain("notifications/resources/updated");
    second.abort();
    await soon(() => shelf.told.slice(2)).toEqual(["-test://b"]);
    await listener.close();
    await soon(() => shelf.told.slice(3)).toEqual(["-test://a"]);
    first.abort();
    await Promise.all(streams);
    expect(shelf.told).toHaveLength(4);
  },
);

verifies("host:watches", "the end of a request ends its stream, read or unread", () => {
  const shelf = new WatchedShelf();
  const watches = new ResourceWatchers(() => {});
  const client = new AbortController();
  const headers = { "content-type": "text/event-stream" };
  for (let times = 0; times < 2; times += 1)
    void watchWhileOpen(watches, {
      message: listen(1, ["test://a"]).body,
      request: new Request("http://localhost", { signal: client.signal }),
      response: new Response(new ReadableStream(), { headers }),
      client: { key: "k", era: "modern" },
      provider: shelf.resources,
    });
  expect(shelf.told).toEqual(["+test://a"]);
  client.abort();
  expect(shelf.told).toEqual(["+test://a", "-test://a"]);
});

verifies(
  "host:watches",
  "a modern connection: cancelled, refused or closed, nothing stays watched",
  async () => {
    const shelf = new WatchedShelf();
    await using client = await connected(shelf);
    await client.send(listen(1, ["test://a"]).body);
    await client.send(listen("1", ["test://a", "test://b"]).body);
    await soon(() => client.answers.length).toBe(2);
    expect(shelf.told).toEqual(["+test://a", "+test://b"]);
    shelf.update("test://a");
    await soon(() => client.answers.length).toBe(4);
    await client.send(cancelled("1"));
    expect(shelf.told.slice(2)).toEqual(["-test://b"]);
    // Sent at once, before the first is handled.
    await client.send(listen(2, ["test://c"]).body);
    await client.send(cancelled(2));
    expect(shelf.told.slice(3)).toEqual(["+test://c", "-test://c"]);
    await client.send(listen(3, ["test://d", 4]).body);
    await soon(() => client.answers.some(({ id, error }) => id === 3 && error?.code === -32602)).toBe(true);
    expect(shelf.told.slice(5)).toEqual(["+test://d", "-test://d"]);
    await client.close();
    await soon(() => shelf.told.slice(7)).toEqual(["-test://a"]);
  },
);

const failsToStop = (told: string): boolean => !told.startsWith("+");

verifies(
  "host:failing-provider",
  "a provider that throws in unwatch keeps no session from being ended",
  async () => {
    const shelf = new WatchedShelf(failsToStop);
    await using listener = await listening(shelf);
    const headers = inSession(await openSession(listener.url));
    for (const uri of ["test://a", "test://b"]) await send(listener.url, { headers, body: subscribe(uri) });
    const answer = await send(listener.url, { method: "DELETE", headers });
    expect(answer.status).toBe(200);
    expect(shelf.told.slice(2)).toEqual(["-test://a", "-test://b"]);
    // The listeners that serve all clients remain.
    expect(shelf.listeners).toBe(2);
    expect(listener.reports).toEqual(["no stop", "no stop", "no -test://a", "no -test://b"]);
  },
);

verifies(
  "host:failing-provider",
  "a provider that throws in unwatch keeps no idle session from being ended",
  async () => {
    const shelf = new WatchedShelf(failsToStop);
    await using listener = await listening(shelf, 50);
    let status: number;
    do {
      const headers = inSession(await openSession(listener.url));
      ({ status } = await send(listener.url, { headers, body: subscribe("test://a") }));
      // On a slow machine the session may be idle before it is used.
    } while (status === 404);
    await soon(() => shelf.told).toEqual(["+test://a", "-test://a"]);
    await soon(() => listener.reports).toContain("no -test://a");
  },
);

verifies("host:failing-provider", "a provider that throws in watch fails only that request", async () => {
  const shelf = new WatchedShelf((told) => told === "+test://bad");
  await using listener = await listening(shelf);
  const headers = inSession(await openSession(listener.url));
  const refused = await send(listener.url, { headers, body: subscribe("test://bad") });
  expect(errorOf(refused)).toMatchObject({
    code: -32603,
    message: expect.stringContaining("no +test://bad"),
  });
  const served = await send(listener.url, { headers, body: subscribe("test://good") });
  expect(errorOf(served)).toBeUndefined();
  const stream = await send(listener.url, listen(7, ["test://other", "test://bad"]));
  expect(stream.messages).toMatchObject([{ id: 7, error: { code: -32603 } }]);
  await send(listener.url, { method: "DELETE", headers });
  expect(shelf.told).toEqual([
    "+test://bad",
    "+test://good",
    "+test://other",
    "+test://bad",
    "-test://other",
    "-test://good",
  ]);

  await using client = await connected(shelf);
  await client.send(listen(8, ["test://bad"]).body);
  await client.send(modernRequest(9, "resources/list").body);
  await soon(() => client.answers.length).toBe(2);
  expect(client.answers).toMatchObject([
    { id: 8, error: { code: -32603 } },
    { id: 9, result: {} },
  ]);
});

verifies("host:failing-provider", "a promise of unwatch that rejects is reported", async () => {
  const reports: string[] = [];
  const resources = {
    list: () => ({ resources: [] }),
    read: () => undefined,
    watch: () => Promise.resolve(),
    unwatch: () => Promise.reject(new Error("later")),
  };
  const host = createProviderHost(
    box,
    undefined,
    { resources },
    { report: (message) => void reports.push(message) },
  );
  const pair = await hostPair("legacy", box, { host });
  await pair.endpoint.session().request("resources/subscribe", { uri: "test://a" });
  await pair[Symbol.asyncDispose]();
  await soon(() => reports).toEqual(["later"]);
});

verifies(
  "host:watch-cap",
  "a client cannot watch an unlimited number of resources, or a URI of unlimited length",
  async () => {
    const shelf = new WatchedShelf();
    const uris = Array.from({ length: 1_000 }, (_, at) => `test://${at}`);
    const pair = await hostPair("legacy", box, { providers: shelf });
    const watch = (uri: string): Promise<unknown> =>
      pair.endpoint.session().request("resources/subscribe", { uri });
    await expect(watch(`test://${"x".repeat(8_192)}`)).rejects.toMatchObject({
      rpc: { code: -32602, message: expect.stringContaining("8192 characters") },
    });
    await Promise.all(uris.map(watch));
    await expect(watch("test://more")).rejects.toMatchObject({
      rpc: { code: -32602, message: expect.stringContaining("at most 1000 resources") },
    });
    await watch("test://0");
    await pair.endpoint.session().request("resources/unsubscribe", { uri: "test://0" });
    await watch("test://more");
    await pair[Symbol.asyncDispose]();
    await soon(() => shelf.told.length).toBe(2 * 1_001);

    await using client = await connected(shelf);
    await client.send(listen(1, uris.slice(500)).body);
    await client.send(listen(2, uris.slice(499)).body);
    await client.send(listen(3, uris.slice(500)).body);
    await soon(() => client.answers.length).toBe(3);
    expect(client.answers.flatMap(({ id, error }) => (error ? [[id, error.code]] : []))).toEqual([
      [2, -32602],
    ]);

    await using listener = await listening(shelf);
    const refused = await send(listener.url, listen(4, [...uris, "test://more"]));
    expect(errorOf(refused)?.message).toContain("at most 1000 resources");
  },
);
