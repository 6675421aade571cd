import { AsyncLocalStorage } from "node:async_hooks";
import { createServer as createHttpServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { verifies } from "@indus/testkit";
import {
  Client,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { linkedTransports, type MessageTransport, type RpcMessage } from "indusagi/interop";
import { expect } from "vitest";
import { TappedTransport } from "../../../src/interop/wire/index.ts";
import { sseServer } from "./connect/sse-server.ts";

/** The client end of a pair with a legacy server that ignores unknown requests. */
function oldSilentServer(): MessageTransport {
  const [client, server] = linkedTransports();
  server.onmessage = ({ id, method }) => {
    if (id === undefined || method !== "initialize") return;
    const result = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      serverInfo: { name: "old", version: "1.0.0" },
    };
    void server.send({ jsonrpc: "2.0", id, result });
  };
  void server.start();
  return client;
}

/** The same without the two members that mark a process. */
function withoutProcessMembers(inner: MessageTransport): MessageTransport {
  const outer: MessageTransport = {
    start: () => inner.start(),
    send: (message) => inner.send(message),
    close: () => inner.close(),
  };
  inner.onmessage = (message: RpcMessage) => outer.onmessage?.(message);
  inner.onclose = () => outer.onclose?.();
  return outer;
}

async function connects(transport: MessageTransport): Promise<string | undefined> {
  const client = new Client(
    { name: "seam", version: "1.0.0" },
    { versionNegotiation: { mode: "auto", probe: { timeoutMs: 100, maxRetries: 0 } } },
  );
  const tapped = new TappedTransport(transport, () => false) as unknown as Transport;
  try {
    await client.connect(tapped, { timeout: 2000 });
    return client.getProtocolEra();
  } catch {
    return "failed";
  } finally {
    await client.close();
  }
}

verifies(
  "sdk-seams:process-members",
  "with pid and stderr a silent probe means a legacy server, without them a broken network",
  async () => {
    expect(await connects(oldSilentServer())).toBe("legacy");
    expect(await connects(withoutProcessMembers(oldSilentServer()))).toBe("failed");
  },
);

verifies(
  "sdk-seams:resume-stream",
  "resuming after an empty event id opens a new stream that delivers messages",
  async () => {
    const asked: IncomingHttpHeaders[] = [];
    const notice = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
    const http = createHttpServer(({ method, headers }, response) => {
      if (method !== "GET") return void response.writeHead(405).end();
      asked.push(headers);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`event: message\ndata: ${JSON.stringify(notice)}\n\n`);
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const { port } = http.address() as AddressInfo;
    const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`));
    const received: unknown[] = [];
    transport.onmessage = (message) => void received.push(message);
    try {
      await transport.start();
      await transport.resumeStream("");
      await expect.poll(() => received).toEqual([notice]);
      expect(asked).toHaveLength(1);
      expect(asked[0]).not.toHaveProperty("last-event-id");
    } finally {
      await transport.close();
      http.closeAllConnections();
      http.close();
    }
  },
);

verifies(
  "sdk-seams:error-status",
  "an error in the body of a 400 is delivered, and one in the body of a 404 is thrown",
  async () => {
    const answer = { jsonrpc: "2.0", id: 1, error: { code: -32_601, message: "Method not found" } } as const;
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    const message = { jsonrpc: "2.0", id: 1, method: "no/such", params: { _meta } } as const;
    for (const status of [400, 404]) {
      const transport = new StreamableHTTPClientTransport(new URL("http://127.0.0.1:1/mcp"), {
        fetch: async () => Response.json(answer, { status }),
      });
      const received: unknown[] = [];
      transport.onmessage = (each) => void received.push(each);
      await transport.start();
      const sent = await transport.send(message).then(
        () => "sent",
        () => "thrown",
      );
      expect([status, sent, received]).toEqual(
        status === 400 ? [400, "sent", [answer]] : [404, "thrown", []],
      );
      await transport.close();
    }
  },
);

verifies("sdk-seams:json-body", "what json() of a response returns is delivered", async () => {
  const answer = { jsonrpc: "2.0", id: 1, result: { read: "json" } };
  const transport = new StreamableHTTPClientTransport(new URL("http://127.0.0.1:1/mcp"), {
    fetch: async () =>
      Object.defineProperty(Response.json({ jsonrpc: "2.0", id: 1, result: {} }), "json", {
        value: async () => answer,
      }),
  });
  const received: unknown[] = [];
  transport.onmessage = (each) => void received.push(each);
  await transport.start();
  await transport.send({ jsonrpc: "2.0", id: 1, method: "any" });
  expect(received).toEqual([answer]);
  await transport.close();
});

verifies(
  "sdk-seams:stream-context",
  "messages of streams that are open at the same time arrive in the context of their own request",
  async () => {
    const streams: ServerResponse[] = [];
    const http = createHttpServer((request, response) => {
      request.resume();
      streams.push(response.writeHead(200, { "content-type": "text/event-stream" }));
      response.flushHeaders();
      if (streams.length < 2) return;
      // Alternating, so that a loop shared by the streams would mix them up.
      for (const turn of [0, 1, 0, 1])
        streams[turn]?.write(`data: {"jsonrpc":"2.0","method":"n","params":{"stream":${turn}}}\n\n`);
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const { port } = http.address() as AddressInfo;
    const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`));
    const context = new AsyncLocalStorage<number>();
    const received: (readonly [unknown, number | undefined])[] = [];
    transport.onmessage = (message) => {
      if ("params" in message) received.push([message.params?.["stream"], context.getStore()]);
    };
    try {
      await transport.start();
      for (const id of [0, 1])
        await context.run(id, () => transport.send({ jsonrpc: "2.0", id, method: "m" }));
      await expect.poll(() => received.length).toBe(4);
      for (const [stream, id] of received) expect(id).toBe(stream);
    } finally {
      await transport.close();
      http.closeAllConnections();
      http.close();
    }
  },
);

verifies(
  "sdk-seams:sse-redial",
  "a close in the microtask after a stream error stops the transport from dialling again",
  async () => {
    const streamsAfterCut = async (isClosedLater: boolean): Promise<number> => {
      await using server = await sseServer({ retryMs: 20 });
      const transport = new SSEClientTransport(new URL(server.url));
      let errors = 0;
      transport.onerror = (error) => {
        if (!SseError.isInstance(error)) return;
        errors += 1;
        if (isClosedLater) queueMicrotask(() => void transport.close());
      };
      await transport.start();
      server.cut("end");
      await expect.poll(() => errors).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, 300));
      const { streams } = server;
      await transport.close();
      return streams;
    };
    expect(await streamsAfterCut(true)).toBe(1);
    expect(await streamsAfterCut(false)).toBeGreaterThan(1);
  },
);
