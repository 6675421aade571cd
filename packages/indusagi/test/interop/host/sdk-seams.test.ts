import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { verifies } from "@indus/testkit";
import { Client, type Transport } from "@modelcontextprotocol/client";
import {
  createMcpHandler,
  createRequestStateCodec,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import { createProviderHost, linkedTransports, serveHttp } from "indusagi/interop";
import { expect } from "vitest";
import { loadServerSdk } from "../../../src/interop/host/server-sdk.ts";
import { exchange } from "../../../src/interop/host/stream/web-exchange.ts";
import { boxOf } from "./box-of.ts";
import { errorOf, legacyCall, modernRequest, send } from "./http/raw-http.ts";
import { WatchedShelf } from "./subscriptions/watched-shelf.ts";
import { TalkingBox } from "./talking-box.ts";

const INFO = { name: "seam", version: "1.0.0" };

type OnCall = (ctx: ServerContext) => Promise<object>;

/** A server of the SDK whose only tool does this. */
function serverWith(onCall: OnCall, Base = Server): Server {
  const server = new Base(INFO, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/call", async (_request, ctx) => (await onCall(ctx)) as { content: [] });
  return server;
}

verifies(
  "sdk-seams:wrap-handler",
  "a subclass sees each tools/call handler, and so can send a block type the SDK refuses",
  async () => {
    const result = { content: [{ type: "hologram", depth: 3 }], "x-unknown": true };
    const answerOf = async (Base: typeof Server): Promise<object | undefined> => {
      const [ours, theirs] = linkedTransports();
      const answer = new Promise<{ result?: object }>((resolve) => {
        ours.onmessage = (message) => void (message.id === 2 && resolve(message as { result?: object }));
      });
      await ours.start();
      const server = serverWith(async () => result, Base);
      await server.connect(theirs as Transport);
      await ours.send(legacyCall(2, "any") as never);
      return (await answer).result;
    };
    expect(await answerOf((await loadServerSdk()).Server)).toEqual(result);
    expect(await answerOf(Server)).toBeUndefined();
  },
);

verifies(
  "sdk-seams:overheard-listen",
  "the SDK's client listens to a resource with a message that has its URI where we look for it",
  async () => {
    const shelf = new WatchedShelf();
    const [ours, theirs] = linkedTransports();
    const running = await createProviderHost(boxOf({}), undefined, shelf).connect(theirs);
    const client = new Client(INFO, { versionNegotiation: { mode: "auto" } });
    try {
      await client.connect(ours as Transport);
      const subscription = await client.listen({ resourceSubscriptions: ["test://a"] });
      expect(shelf.told).toEqual(["+test://a"]);
      expect(subscription.honoredFilter).toMatchObject({ resourceSubscriptions: ["test://a"] });
      await subscription.close();
      await expect.poll(() => shelf.told).toEqual(["+test://a", "-test://a"]);
    } finally {
      await client.close();
      await running.cancel();
    }
  },
);

verifies(
  "sdk-seams:task-subscriptions",
  "the SDK leaves the tasks of a subscription out, and ends a stream with nothing else",
  async () => {
    const handler = createMcpHandler(() => serverWith(async () => ({ content: [] })));
    const { headers, body: parsedBody } = modernRequest(7, "subscriptions/listen", {
      notifications: { taskIds: ["t"] },
    });
    const request = new Request("http://localhost/", {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
    });
    const { body } = await handler.fetch(request, { parsedBody });
    const parts: unknown[] = [];
    for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
      const text = Buffer.from(part).toString("utf8");
      parts.push(JSON.parse(/^event: message\ndata: (.*)\n\n$/.exec(text)?.[1] ?? "null"));
    }
    const _meta = { "io.modelcontextprotocol/subscriptionId": 7 };
    expect(parts).toMatchObject([
      { method: "notifications/subscriptions/acknowledged", params: { notifications: {}, _meta } },
      { id: 7, result: { resultType: "complete" } },
    ]);
    await handler.close();
  },
);

verifies(
  "sdk-seams:request-subclass",
  "the SDK serves a Request without a body from the parsed one, and follows the signal of a subclass",
  async () => {
    let aborted = 0;
    const handler = createMcpHandler(() =>
      serverWith(async ({ mcpReq: { signal } }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        aborted += 1;
        return { content: [] };
      }),
    );
    const { headers, body } = modernRequest(1, "tools/call", { name: "any", arguments: {} });
    const http = createServer((incoming, outgoing) => {
      incoming.resume();
      void exchange(incoming, outgoing, 60_000, (request) => handler.fetch(request, { parsedBody: body }));
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const { port } = http.address() as AddressInfo;
    const client = new AbortController();
    const call = send(`http://127.0.0.1:${port}/`, { headers, body, signal: client.signal });
    setTimeout(() => client.abort(), 100);
    await expect(call).rejects.toThrow();
    await expect.poll(() => aborted).toBe(1);
    http.close();
    await handler.close();
  },
);

verifies(
  "sdk-seams:request-identity",
  "the factory of a handler gets the same Request that was passed to fetch",
  async () => {
    const given: unknown[] = [];
    const handler = createMcpHandler(({ requestInfo }) => {
      given.push(requestInfo);
      return serverWith(async () => ({ content: [] }));
    });
    const { headers, body: parsedBody } = modernRequest(1, "tools/call", { name: "any", arguments: {} });
    const request = new Request("http://localhost/", {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        ...headers,
      },
    });
    const response = await handler.fetch(request, { parsedBody });
    expect(response.status).toBe(200);
    expect(given).toHaveLength(1);
    expect(given[0]).toBe(request);
    await response.text();
    await handler.close();
  },
);

/** The same bytes in base64url with another last character: bits of it that carry nothing differ. */
function respelled(state: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return state.slice(0, -1) + letters.charAt(letters.indexOf(state.at(-1) ?? "") ^ 1);
}

verifies(
  "sdk-seams:state-spelling",
  "a state is base64url parts after the first dot; the SDK accepts another spelling, the host does not",
  async () => {
    const codec = createRequestStateCodec<object>({ key: new Uint8Array(32), ttlSeconds: 60 });
    const minted = await codec.mint({ a: 1 });
    for (const part of minted.split(".").slice(1)) expect(part).toMatch(/^[\w-]+$/);
    expect(await codec.verify(respelled(minted), {} as ServerContext)).toEqual({ a: 1 });

    const listener = await serveHttp(createProviderHost(new TalkingBox()), { port: 0 });
    const call = (more: object) =>
      send(listener.url, modernRequest(1, "tools/call", { name: "asks", arguments: {}, ...more }));
    const state = (await call({})).messages[0]?.result?.["requestState"] as string;
    const inputResponses = { who: { action: "decline" } };
    const refused = await call({ inputResponses, requestState: respelled(state) });
    expect(errorOf(refused)?.code).toBe(-32602);
    expect(errorOf(await call({ inputResponses, requestState: state }))).toBeUndefined();
    await listener.close();
  },
);

verifies("sdk-seams:validator-steps", "each application of a schema reads its type once or more", () => {
  let reads = 0;
  const item = {
    get type(): string {
      reads += 1;
      if (reads > 100) throw new RangeError("enough");
      return "string";
    },
  };
  const check = new CfWorkerJsonSchemaValidator().getValidator({ type: "array", items: item });
  expect(check(Array.from({ length: 50 }, () => "a")).valid).toBe(true);
  expect(reads).toBeGreaterThanOrEqual(50);
  expect(() => check(Array.from({ length: 100 }, () => "a"))).toThrow("enough");
});
