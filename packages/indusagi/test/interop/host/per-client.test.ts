import { verifies } from "@indus/testkit";
import {
  type ClientFeed,
  type ConnectedClient,
  createProviderHost,
  type HostClient,
  type HostProviders,
  type SessionNotification,
  serveHttp,
} from "indusagi/interop";
import type { LogEntry } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "./box-of.ts";
import { hostPair } from "./host-pair.ts";
import { inSession, modernRequest, openSession, send } from "./http/raw-http.ts";

const box = boxOf({});
const soon = <Value>(value: () => Value) => expect.poll(value, { timeout: 10_000 });

verifies("host:providers-for-client", "over a connection and over HTTP, in both eras", async () => {
  const clients: HostClient[] = [];
  const providers = (client: HostClient): HostProviders => {
    clients.push(client);
    const prompts = [{ name: `for ${client.client?.name}` }];
    return client.era === "legacy" ? { prompts: { list: () => ({ prompts }), get: () => undefined } } : {};
  };
  const instructions = ({ era, client }: HostClient): string => `${era} ${client?.name}`;
  const host = createProviderHost(box, { name: "h", version: "1", instructions }, providers);
  for (const era of ["legacy", "modern"] as const) {
    await using pair = await hostPair(era, box, { host });
    const session = pair.endpoint.session();
    expect(session.instructions).toBe(`${era} indus-protocol-bridge`);
    expect(session.capabilities["prompts"] !== undefined).toBe(era === "legacy");
    if (era === "legacy")
      expect(await session.request("prompts/list")).toEqual({
        prompts: [{ name: "for indus-protocol-bridge" }],
      });
  }
  const listener = await serveHttp(host, { port: 0, limits: { drainMs: 50 } });
  const headers = inSession(await openSession(listener.url));
  const body = { jsonrpc: "2.0", id: 1, method: "prompts/list" };
  expect((await send(listener.url, { headers, body })).messages[0]?.result).toMatchObject({ prompts: [{}] });
  const discovered = await send(listener.url, modernRequest(1, "server/discover"));
  expect(discovered.messages[0]?.result).toMatchObject({ instructions: "modern raw" });
  await listener.close();
  // Once per connection or session; once per request without one.
  expect(clients.map(({ era, client }) => `${era} ${client?.name !== undefined}`)).toEqual([
    "legacy true",
    "modern true",
    "legacy true",
    "modern true",
  ]);
});

verifies("host:clients", "connected, asked, changed and gone", async () => {
  const told: string[] = [];
  let connected: ConnectedClient | undefined;
  const host = createProviderHost(box, undefined, undefined, {
    clients: {
      connected: (client) => {
        connected = client;
        told.push("connected");
      },
      rootsChanged: ({ key }) => void told.push(`roots ${key === connected?.key}`),
      disconnected: ({ key }) => void told.push(`gone ${key === connected?.key}`),
    },
  });
  const answers = {
    can: { roots: true },
    ask: async () => ({ question: { roots: [{ uri: "file:///a" }] } }),
  };
  const pair = await hostPair("legacy", box, { host, answers });
  await soon(() => told).toEqual(["connected"]);
  expect(connected?.can).toEqual({ roots: true });
  expect(await connected?.ask({ q: { method: "roots/list" } })).toEqual({
    q: { roots: [{ uri: "file:///a" }] },
  });
  await expect(connected?.ask({ q: { method: "elicitation/create" } })).rejects.toThrow("cannot answer");
  await pair.endpoint.session().notify("notifications/roots/list_changed");
  await soon(() => told).toEqual(["connected", "roots true"]);
  await pair[Symbol.asyncDispose]();
  await soon(() => told).toEqual(["connected", "roots true", "gone true"]);
  await expect(connected?.ask({ q: { method: "roots/list" } })).rejects.toThrow();

  await using modern = await hostPair("modern", box, { host });
  expect(modern.endpoint.phase).toBe("ready");
  expect(connected).toMatchObject({ era: "modern", can: {} });
});

verifies("host:async-watch", "in both eras, and with a client that leaves meanwhile", async () => {
  const told: string[] = [];
  let watch: (uri: string) => Promise<void> = async () => {};
  const resources = {
    list: () => ({ resources: [] }),
    read: () => undefined,
    watch: async (uri: string) => {
      told.push(`+${uri}`);
      await watch(uri);
    },
    unwatch: async (uri: string) => void told.push(`-${uri}`),
  };
  const host = createProviderHost(box, undefined, { resources });
  const subscribe = (uri: string) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "resources/subscribe",
    params: { uri },
  });
  const listener = await serveHttp(host, { port: 0, limits: { drainMs: 50 } });
  const headers = inSession(await openSession(listener.url));
  watch = () => Promise.reject(new Error("not now"));
  const refused = await send(listener.url, { headers, body: subscribe("test://a") });
  expect(refused.messages[0]?.error).toMatchObject({
    code: -32603,
    message: expect.stringContaining("not now"),
  });
  const listen = modernRequest(1, "subscriptions/listen", {
    notifications: { resourceSubscriptions: ["test://a"] },
  });
  expect((await send(listener.url, listen)).messages[0]?.error).toMatchObject({ code: -32603 });
  // The modern era has no code of its own for an unknown resource: clients tell it by the data.
  const unknown = { code: -32002, message: "there is none", data: { uri: "test://a" } };
  watch = () => Promise.reject(Object.assign(new Error(), unknown));
  const { messages } = await send(listener.url, listen);
  expect(messages[0]?.error).toEqual({ ...unknown, code: -32602 });
  expect(told.splice(0)).toEqual(["+test://a", "+test://a", "+test://a"]);

  // Two clients wait for the same watch; one of them leaves.
  let begin = (): void => {};
  watch = () => new Promise<void>((resolve) => (begin = resolve));
  const other = await hostPair("legacy", box, { host });
  const leaving = new AbortController();
  const gone = send(listener.url, { ...listen, signal: leaving.signal }).catch(() => "gone");
  await soon(() => told).toEqual(["+test://a"]);
  const waiting = other.endpoint.session().request("resources/subscribe", { uri: "test://a" });
  // In this process: it waits by then.
  await new Promise((resolve) => setTimeout(resolve, 30));
  leaving.abort();
  expect(await gone).toBe("gone");
  begin();
  expect(await waiting).toEqual({});
  expect(told).toEqual(["+test://a"]);
  await other[Symbol.asyncDispose]();
  await soon(() => told).toEqual(["+test://a", "-test://a"]);

  // A client that is gone before the watch has begun.
  const last = new AbortController();
  const lost = send(listener.url, { ...listen, signal: last.signal }).catch(() => "gone");
  await soon(() => told.length).toBe(3);
  last.abort();
  await lost;
  begin();
  await soon(() => told.slice(2)).toEqual(["+test://a", "-test://a"]);
  await listener.close();
});

verifies("host:client-feed", "levels per client, and notifications as they are", async () => {
  const asked: string[] = [];
  const logs = new Map<string, (entry: LogEntry) => void>();
  const sends = new Map<string, (notification: SessionNotification) => void>();
  const feed = ({ key }: HostClient): ClientFeed => ({
    setLevel: async (level) => void asked.push(level),
    onLog: (listener) => {
      logs.set(key, listener);
      return () => logs.delete(key);
    },
    onNotification: (listener) => {
      sends.set(key, listener);
      return () => sends.delete(key);
    },
  });
  const host = createProviderHost(box, undefined, (client) => ({ feed: feed(client) }));
  const heard: SessionNotification[] = [];
  const pair = await hostPair("legacy", box, { host });
  pair.endpoint.session().onNotification((notification) => void heard.push(notification));
  await pair.endpoint.session().request("logging/setLevel", { level: "warning" });
  expect(asked).toEqual(["warning"]);
  for (const [, log] of logs) for (const level of ["info", "error"] as const) log({ level, data: level });
  const completed = { method: "notifications/elicitation/complete", params: { elicitationId: "unknown" } };
  for (const [, tell] of sends) {
    tell(completed);
    tell({ method: "notifications/tools/list_changed" });
  }
  await soon(() => heard.length).toBe(2);
  expect(heard).toMatchObject([
    { method: "notifications/message", params: { level: "error", data: "error" } },
    { method: "notifications/tools/list_changed" },
  ]);
  await pair[Symbol.asyncDispose]();
  await soon(() => [logs.size, sends.size]).toEqual([0, 0]);
  // The modern era has nothing outside of requests.
  await using modern = await hostPair("modern", box, { host });
  expect([modern.endpoint.phase, logs.size]).toEqual(["ready", 0]);
});
