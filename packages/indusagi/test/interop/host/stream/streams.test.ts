import { setTimeout as sleep } from "node:timers/promises";
import { verifies } from "@indus/testkit";
import { createProviderHost, type HttpServeOptions, serveHttp } from "indusagi/interop";
import { type ToolBox, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "../box-of.ts";
import {
  initialize,
  inSession,
  legacyCall,
  modernRequest,
  openSession,
  send,
  textOf,
} from "../http/raw-http.ts";

const EVENTS = { accept: "text/event-stream" };

/** A listener with a tool that hangs until it is aborted and one that waits to be released. */
async function listening(options: Partial<HttpServeOptions> = {}) {
  let letGo: () => void = () => {};
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const running = new Set<string>();
  const box = boxOf({
    echo: () => textResult("echo"),
    long: (_call, _signal, caller) => {
      caller?.progress?.({ progress: 1 });
      return textResult("x".repeat(5_000));
    },
    rambles: (_call, _signal, caller) => {
      const data: { self?: unknown } = {};
      data.self = data;
      caller?.log?.({ level: "info", data });
      return textResult("said");
    },
    asks: async (_call, _signal, caller) => {
      const params = { message: "which?", requestedSchema: { type: "object", properties: {} } };
      await caller?.ask?.({ which: { method: "elicitation/create", params } });
      return textResult("asked");
    },
    hang: async (call, signal) => {
      running.add(call.id);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      running.delete(call.id);
      return textResult("ended");
    },
    waits: async () => {
      await gate;
      return textResult("at last");
    },
  });
  const changes = new Set<() => void>();
  const onChange: ToolBox["onChange"] = (changed) => {
    const change = (): void => changed({ added: [], removed: [], changed: [] });
    changes.add(change);
    return () => void changes.delete(change);
  };
  const listener = await serveHttp(createProviderHost({ ...box, onChange }), { port: 0, ...options });
  const change = (): void => changes.forEach((tell) => tell());
  return { ...listener, running, letGo, change, [Symbol.asyncDispose]: () => listener.close() };
}

/** A stream that is being read, after its headers. */
async function openStream(url: string, headers: Record<string, string>, init: RequestInit = {}) {
  const abort = new AbortController();
  const response = await fetch(url, { headers: { ...EVENTS, ...headers }, signal: abort.signal, ...init });
  return { status: response.status, response, leave: () => abort.abort() };
}

/** Reads until the text contains this. */
async function readUntil(response: Response, wanted: string): Promise<string> {
  let text = "";
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString("utf8");
    if (text.includes(wanted)) break;
  }
  return text;
}

verifies("host-threats:cancelled-streams", "cancelled calls end their streams and hold no slot", async () => {
  await using listener = await listening({ limits: { requestsPerPrincipal: 2 } });
  const headers = inSession(await openSession(listener.url));
  for (let id = 1; id <= 6; id += 1) {
    const hanging = send(listener.url, { headers, body: legacyCall(id, "hang") });
    await expect.poll(() => listener.running.size).toBe(1);
    const body = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } };
    expect((await send(listener.url, { headers, body })).status).toBe(202);
    expect((await hanging).messages.some(({ result }) => result)).toBe(false);
    await expect.poll(() => listener.running.size).toBe(0);
  }
});

verifies("host-threats:cancelled-streams", "the question of a cancelled call is cancelled too", async () => {
  await using listener = await listening();
  const { headers: opened } = await initialize(listener.url, {}, { elicitation: {} });
  const headers = inSession(String(opened["mcp-session-id"]));
  let text = "";
  const onText = (part: string): void => void (text += part);
  const asking = send(listener.url, { headers, body: legacyCall(1, "asks"), onText });
  await expect.poll(() => text).toContain("elicitation/create");
  const body = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  await send(listener.url, { headers, body });
  const [question, cancelled, error] = (await asking).messages;
  expect(cancelled).toMatchObject({ method: body.method, params: { requestId: question?.id } });
  expect(error).toMatchObject({ id: 1, error: { message: "Request cancelled" } });
});

verifies("host-threats:lost-streams", "a client that lost its stream gets it back at once", async () => {
  await using listener = await listening();
  const headers = inSession(await openSession(listener.url));
  for (let round = 0; round < 3; round += 1) {
    const stream = await expectOpen(listener.url, headers);
    expect((await openStream(listener.url, headers)).status).toBe(409);
    stream.leave();
    await expect.poll(() => reopens(listener.url, headers), { timeout: 5000 }).toBe(200);
  }
});

async function reopens(url: string, headers: Record<string, string>): Promise<number> {
  const { status, leave } = await openStream(url, headers);
  leave();
  return status;
}

verifies("host-threats:lost-streams", "a call whose stream broke is answered on the next one", async () => {
  await using listener = await listening();
  const headers = inSession(await openSession(listener.url));
  const body = JSON.stringify(legacyCall(1, "waits"));
  const post = { method: "POST", body };
  const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const calling = await openStream(listener.url, { ...headers, ...json }, post);
  const start = await readUntil(calling.response, "\n\n");
  calling.leave();
  const lastEvent = /^id: (.+)$/m.exec(start)?.[1] ?? "";
  const again = { ...headers, "last-event-id": lastEvent };
  const stream = await expectOpen(listener.url, again);
  listener.letGo();
  expect(await readUntil(stream.response, "result")).toContain("at last");
  stream.leave();
});

verifies("host-threats:lost-streams", "a stream that broke again before an event is not lost", async () => {
  await using listener = await listening();
  const headers = inSession(await openSession(listener.url));
  const post = { method: "POST", body: JSON.stringify(legacyCall(1, "waits")) };
  const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  let stream = await openStream(listener.url, { ...headers, ...json }, post);
  // As the clients of the SDK do it: an id of an earlier response is forgotten.
  for (let round = 0; round < 3; round += 1) {
    const id = await lastId(stream.response);
    stream.leave();
    stream = await expectOpen(listener.url, { ...headers, "last-event-id": id });
  }
  listener.letGo();
  expect(await readUntil(stream.response, "result")).toContain("at last");
  stream.leave();
});

verifies("host-threats:lost-streams", "what is sent while a client is away waits for it", async () => {
  await using listener = await listening();
  const headers = inSession(await openSession(listener.url));
  const stream = await expectOpen(listener.url, headers);
  const id = await lastId(stream.response);
  stream.leave();
  listener.change();
  const again = await expectOpen(listener.url, { ...headers, "last-event-id": id });
  expect(await readUntil(again.response, "list_changed")).toContain("notifications/tools/list_changed");
  again.leave();
});

verifies("host-threats:lost-streams", "a result too large to be kept is replaced by an error", async () => {
  await using listener = await listening({ limits: { eventBytesPerSession: 1_000 } });
  const headers = inSession(await openSession(listener.url));
  const answer = await send(listener.url, {
    headers,
    body: legacyCall(7, "long", {}, { progressToken: "p" }),
  });
  expect(textOf(answer)).toHaveLength(5_000);
  const progress = [...answer.text.matchAll(/^id: (.+)$/gm)].at(1)?.[1] ?? "";
  const again = { ...headers, "last-event-id": progress };
  const { status, messages } = await send(listener.url, { method: "GET", headers: again });
  expect(status).toBe(200);
  const message = expect.stringContaining("too large to keep");
  expect(messages).toEqual([{ jsonrpc: "2.0", id: 7, error: { code: -32603, message } }]);
});

async function lastId(response: Response): Promise<string> {
  return /^id: (.+)$/m.exec(await readUntil(response, "\n\n"))?.[1] ?? "";
}

/** Opens a stream as soon as the host has noticed the end of the last one. */
async function expectOpen(url: string, headers: Record<string, string>): ReturnType<typeof openStream> {
  for (let tries = 0; ; tries += 1) {
    const stream = await openStream(url, headers);
    if (stream.status === 200 || tries === 100) return stream;
    await sleep(20);
  }
}

verifies(
  "host-threats:stream-cap",
  "streams at the limit: one more is 429, calls are served, one less makes space",
  async () => {
    await using listener = await listening({ limits: { streamsPerPrincipal: 3 } });
    const listen = modernRequest(1, "subscriptions/listen", { notifications: { toolsListChanged: true } });
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...listen.headers,
    };
    const open = () =>
      openStream(listener.url, headers, { method: "POST", body: JSON.stringify(listen.body) });
    const streams = [await open(), await open(), await open()];
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    const session = inSession(await openSession(listener.url));
    expect((await open()).status).toBe(429);
    expect((await openStream(listener.url, session)).status).toBe(429);
    expect(textOf(await send(listener.url, modernRequest(1, "tools/call", { name: "echo" })))).toBe("echo");
    streams[0]?.leave();
    await expect.poll(() => reopens(listener.url, session), { timeout: 5000 }).toBe(200);
    for (const { leave } of streams) leave();
  },
);

verifies(
  "host-threats:stream-cap",
  "a client that disconnects while its token is checked holds no slot",
  async () => {
    let verifying = 0;
    const verifier = {
      verify: async (principal: string) => {
        verifying += 1;
        await sleep(100);
        verifying -= 1;
        return { principal, audience: "any" as const };
      },
    };
    await using listener = await listening({ verifier, limits: { streamsPerPrincipal: 2 } });
    const who = { authorization: "Bearer alice" };
    const headers = { ...who, ...inSession(await openSession(listener.url, who)) };
    for (let round = 0; round < 4; round += 1) {
      const abort = new AbortController();
      const leaving = send(listener.url, { method: "GET", headers, signal: abort.signal });
      leaving.catch(() => {});
      await expect.poll(() => verifying).toBe(1);
      abort.abort();
      await expect.poll(() => verifying).toBe(0);
    }
    expect(await reopens(listener.url, headers)).toBe(200);
  },
);

verifies(
  "host-threats:event-log",
  "a tool that logs a value that contains itself affects no client",
  async () => {
    await using listener = await listening();
    const headers = inSession(await openSession(listener.url));
    expect(textOf(await send(listener.url, { headers, body: legacyCall(1, "rambles") }))).toBe("said");
  },
);
