import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { verifies } from "@indus/testkit";
import { createProviderHost, type HttpServeOptions, serveHttp } from "indusagi/interop";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { ResponseWriter } from "../../../../src/interop/host/stream/response-writer.ts";
import { boxOf } from "../box-of.ts";
import {
  errorOf,
  inSession,
  LEGACY,
  legacyCall,
  modernRequest,
  openSession,
  send,
  textOf,
} from "../http/raw-http.ts";

/** A client of this revision cannot return to a stream before its first message. */
const OLDER = "2025-06-18";
const LARGE = "😀é\n".repeat(400_000);

async function listening(limits: HttpServeOptions["limits"] = {}) {
  let letGo: () => void = () => {};
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  let begin: () => void = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const box = boxOf({
    echo: () => textResult("echo"),
    large: () => textResult(LARGE),
    reports: (_call, _signal, caller) => {
      caller?.progress?.({ progress: 1 });
      return textResult("reported");
    },
    waits: async () => {
      begin();
      await gate;
      return textResult("at last");
    },
  });
  const listener = await serveHttp(createProviderHost(box), { port: 0, limits });
  const session = await openSession(listener.url);
  const as = (version: string) => ({ ...inSession(session), "mcp-protocol-version": version });
  const call = (version: string, body: unknown) => send(listener.url, { headers: as(version), body });
  return { ...listener, as, begun, call, letGo, session, [Symbol.asyncDispose]: () => listener.close() };
}

verifies(
  "host:plain-answers",
  "an answer that is alone and comes at once is JSON; a client that can return gets a stream if its call takes longer",
  async () => {
    await using listener = await listening();
    for (const version of [OLDER, LEGACY]) {
      const plain = await listener.call(version, legacyCall(1, "echo"));
      expect(textOf(plain)).toBe("echo");
      expect(plain.headers).toMatchObject({
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(plain.text)),
        "mcp-session-id": listener.session,
      });
    }
    let text = "";
    const waiting = send(listener.url, {
      headers: listener.as(LEGACY),
      body: legacyCall(2, "waits"),
      onText: (part) => void (text += part),
    });
    await expect.poll(() => text).toMatch(/^id: \S+\nretry: 1000\ndata: \n\n$/);
    listener.letGo();
    const primed = await waiting;
    expect(textOf(primed)).toBe("at last");
    expect(primed.headers["content-type"]).toBe("text/event-stream");
    expect(primed.text).toMatch(/^id: \S+\nretry: 1000\ndata: \n\nevent: message\nid: \S+\ndata: \{/);
  },
);

verifies("host:plain-answers", "what comes before an answer makes the response a stream", async () => {
  await using listener = await listening();
  const reported = await listener.call(OLDER, legacyCall(1, "reports", {}, { progressToken: "p" }));
  expect(reported.headers["content-type"]).toBe("text/event-stream");
  expect(reported.messages.map(({ method, id }) => method ?? id)).toEqual(["notifications/progress", 1]);
  const batch = await listener.call(OLDER, [legacyCall(2, "echo"), legacyCall(3, "reports")]);
  expect(batch.headers["content-type"]).toBe("text/event-stream");
  expect(batch.messages.map(({ id }) => id).sort()).toEqual([2, 3]);
});

verifies(
  "host:plain-answers",
  "a silent call shows that it lives, and its answer follows on the stream",
  async () => {
    await using listener = await listening({ keepAliveMs: 20 });
    let text = "";
    const waiting = send(listener.url, {
      headers: listener.as(OLDER),
      body: legacyCall(1, "waits"),
      onText: (part) => void (text += part),
    });
    await expect.poll(() => text).toContain(": keepalive\n\n");
    listener.letGo();
    const answer = await waiting;
    expect(answer.headers["content-type"]).toBe("text/event-stream");
    expect(textOf(answer)).toBe("at last");
  },
);

verifies("host:http", "two running requests of one id do not get each other's answers", async () => {
  await using listener = await listening();
  const first = listener.call(LEGACY, legacyCall(1, "waits"));
  const again = () => listener.call(LEGACY, legacyCall(1, "echo"));
  await listener.begun;
  const refused = await again();
  expect(refused.status).toBe(400);
  expect(errorOf(refused)).toMatchObject({
    code: -32600,
    message: expect.stringContaining("id 1 is running"),
  });
  expect(textOf(await listener.call(LEGACY, legacyCall(2, "echo")))).toBe("echo");
  listener.letGo();
  expect(textOf(await first)).toBe("at last");
  expect(textOf(await again())).toBe("echo");
});

verifies("host:http", "a byte order mark before a message is ignored", async () => {
  await using listener = await listening();
  const body = `\ufeff${JSON.stringify(legacyCall(1, "echo"))}`;
  expect(textOf(await listener.call(LEGACY, body))).toBe("echo");
});

verifies(
  "host:streams",
  "a stream is the last answer on a connection that its client wants to close",
  async () => {
    await using listener = await listening();
    const connection = "close";
    const session = await send(listener.url, {
      headers: { ...listener.as(LEGACY), connection },
      body: legacyCall(1, "reports", {}, { progressToken: "p" }),
    });
    const { headers, body } = modernRequest(2, "tools/call", {
      name: "reports",
      _meta: { progressToken: "p" },
    });
    const modern = await send(listener.url, { headers: { ...headers, connection }, body });
    for (const answer of [session, modern])
      expect(answer.headers).toMatchObject({ connection, "content-type": "text/event-stream" });
  },
);

verifies("host:large-answers", "a large answer arrives whole, as JSON and as an event", async () => {
  await using listener = await listening();
  for (const version of [OLDER, LEGACY]) {
    const answer = await listener.call(version, legacyCall(1, "large"));
    expect(textOf(answer) === LARGE, version).toBe(true);
  }
});

verifies(
  "host:large-answers",
  "pieces are taken as fast as the client reads, and keep their place",
  async () => {
    const PIECES = 4_000;
    const piece = "x".repeat(16 * 1024);
    let taken = 0;
    const pieces = function* (): Generator<string, void> {
      for (; taken < PIECES; taken += 1) yield piece;
    };
    const server = createServer((_incoming, outgoing) => {
      const writer = new ResponseWriter(outgoing);
      writer.write("first,");
      writer.write(pieces());
      writer.write("last");
      writer.end();
      writer.write("never");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const [response] = (await once(get(`http://127.0.0.1:${port}/`), "response")) as [IncomingMessage];
    let before = -1;
    await expect.poll(() => before === (before = taken), { interval: 50 }).toBe(true);
    expect(taken).toBeLessThan(PIECES);
    let [bytes, end] = [0, ""];
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      end = (end + chunk.toString("latin1")).slice(-10);
    }
    expect(bytes).toBe("first,".length + PIECES * piece.length + "last".length);
    expect(end).toBe("xxxxxxlast");
    server.close();
  },
);
