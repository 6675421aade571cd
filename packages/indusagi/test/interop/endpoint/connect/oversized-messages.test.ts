import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { serveEvilHttp } from "../../../../../../test/servers/evil-http.mjs";
import { boundedFetch } from "../../../../src/interop/endpoint/connect/bounded-fetch.ts";
import { act, evil, faultOf, type OpenEndpoint, opened } from "../../kit/evil.ts";

const LIMIT = 100_000;
const OPTIONS = { maxMessageBytes: LIMIT, timeouts: { callMs: 60_000 } };
const BIG = JSON.stringify("x".repeat(LIMIT));
const BLOCK = `{"content":[{"type":"text","text":${BIG},"id":9}]}`;

/** Answers over the limit, with the id in every place. */
const ANSWERS: { readonly [where: string]: string } = {
  "at the start": `{"jsonrpc":"2.0","id":$ID,"result":${BLOCK}}`,
  "at the end": `{"jsonrpc":"2.0","result":${BLOCK},"id":$ID}`,
  "between big members": `{"a":${BIG},"jsonrpc":"2.0","result":{},"id":$ID,"b":{"id":8,"c":${BIG}}}`,
  "as text": `{"jsonrpc":"2.0","result":${BLOCK},"id":"$ID"}`,
  "in an error": `{"jsonrpc":"2.0","error":{"code":1,"message":"","data":${BIG}},"id":$ID}`,
};
/** Messages over the limit that answer no call. */
const OTHERS: { readonly [what: string]: string } = {
  "a notification": `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":${BIG}}}`,
  "a notification in another order": `{"params":{"data":${BIG},"id":7},"method":"notifications/message"}`,
  "bytes that are not JSON": `{"x":${BIG}]]`,
};
const SMALL =
  '{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","content":[{"type":"text","text":"small"}]}}';

async function expectOwnFault(
  endpoint: OpenEndpoint,
  misdeed: string,
  text: string,
  name: string,
): Promise<void> {
  const fault = await faultOf(act(endpoint, misdeed, { text, latin1: text }));
  expect(fault, name).toMatchObject({ kind: "protocol", retrySafe: false, server: endpoint.config.id });
  expect(fault.message, name).toContain(`over the limit of ${LIMIT} bytes`);
}

verifies(
  "stdio:oversized",
  "a process: the call fails when its answer ends, wherever the id stands",
  async () => {
    await using endpoint = await opened(evil("s"), OPTIONS);
    for (const [where, json] of Object.entries(ANSWERS))
      await expectOwnFault(endpoint, "bytes", `${json}\n`, where);
    for (const [what, json] of Object.entries(OTHERS))
      expect(await act(endpoint, "bytes", { latin1: `${json}\n${SMALL}\n` }), what).toBe("small");
    expect(endpoint.status().notes?.join()).toContain(`over the limit of ${LIMIT} bytes`);
    expect(endpoint.phase).toBe("ready");
  },
);

const event = (text: string, end = "\n"): string => `event: message${end}data: ${text}${end}${end}`;

for (const era of ["legacy", "modern"] as const) {
  verifies(
    "stdio:oversized",
    `${era}: over HTTP the call fails with our own fault, and is not resumed`,
    async () => {
      await using server = await serveEvilHttp({ era });
      await using endpoint = await opened({ kind: "streamable-http", id: "h", url: server.url }, OPTIONS);
      const primed = `id: 1\ndata: \n\n`;
      for (const [where, json] of Object.entries(ANSWERS)) {
        for (const end of ["\n", "\r", "\r\n"])
          await expectOwnFault(
            endpoint,
            "raw-events",
            primed + event(json, end),
            `${where} ${JSON.stringify(end)}`,
          );
        const lines = event(json.replaceAll(",", ",\ndata:"));
        await expectOwnFault(endpoint, "raw-events", lines, `${where}, in many lines`);
      }
      for (const [what, json] of Object.entries(OTHERS)) {
        for (const end of ["\n", "\r", "\r\n"]) {
          // The SDK's parser needs a byte after a last line that ends with a carriage return.
          const events = `${event(json, end)}${event(SMALL, end)}: end\n`;
          expect(await act(endpoint, "raw-events", { text: events }), what).toBe("small");
        }
      }
      expect(endpoint.phase).toBe("ready");
      expect(server.seen.filter((seen) => seen.startsWith("GET")).length).toBeLessThanOrEqual(1);
    },
  );
}

/** A server with the older HTTP transport, which sends the text that a call gives it. */
async function serveOldSse(): Promise<{ readonly url: string } & AsyncDisposable> {
  let stream: ServerResponse | undefined;
  const answer = (body: string): void => {
    const { id, method, params } = JSON.parse(body) as {
      readonly id?: number;
      readonly method: string;
      readonly params: { readonly arguments: { readonly text: string } };
    };
    const reply = (result: object): void =>
      void stream?.write(event(JSON.stringify({ jsonrpc: "2.0", id, result })));
    const serverInfo = { name: "old", version: "1" };
    if (method === "initialize")
      reply({ protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo });
    else if (method === "tools/list") reply({ tools: [{ name: "act", inputSchema: { type: "object" } }] });
    else if (method === "tools/call") stream?.write(params.arguments.text.replaceAll("$ID", String(id)));
  };
  const http = createServer((request, response) => {
    if (request.method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.write("event: endpoint\ndata: /messages\n\n");
      return;
    }
    void readText(request).then(answer);
    response.writeHead(202).end();
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/sse`,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

verifies("stdio:oversized", "over the older HTTP transport the connection goes on", async () => {
  await using server = await serveOldSse();
  await using endpoint = await opened({ kind: "sse", id: "h", url: server.url, onMismatch: "fail" }, OPTIONS);
  for (const [where, json] of Object.entries(ANSWERS))
    await expectOwnFault(endpoint, "any", event(json), where);
  for (const [what, json] of Object.entries(OTHERS))
    expect(await act(endpoint, "any", { text: event(json) + event(SMALL) }), what).toBe("small");
  expect(endpoint.phase).toBe("ready");
});

verifies("stdio:oversized", "an answer over the limit ends the handshake at once", async () => {
  await using server = await serveEvilHttp({
    instead: (_request, response) =>
      void response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(event(ANSWERS["at the end"] ?? "")),
  });
  const opening = opened({ kind: "streamable-http", id: "h", url: server.url, onMismatch: "fail" }, OPTIONS);
  await expect(faultOf(opening)).resolves.toMatchObject({
    message: expect.stringContaining(`${LIMIT} bytes`),
  });
});

verifies("core:with-defaults", "a long event is dropped also if its listener is undefined", async () => {
  const events = ["data: short\n\n", `data: ${"x".repeat(2_000)}\n\n`, "data: last\n\n"];
  const reader = boundedFetch(
    async () =>
      new Response(ReadableStream.from(events.map((event) => Buffer.from(event))), {
        headers: { "content-type": "text/event-stream" },
      }),
    { server: "h", maxBytes: 1_000, onArrival: undefined, onOversized: undefined },
  );
  const text = await (await reader("http://127.0.0.1/")).text();
  expect(text).toMatch(/short[^]*last/);
  expect(text).not.toContain("x".repeat(2_000));
});
