import { once } from "node:events";
import { connect } from "node:net";
import { verifies } from "@indus/testkit";
import { createProviderHost, serveHttp } from "indusagi/interop";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "../box-of.ts";
import { modernRequest, send, textOf } from "../http/raw-http.ts";

async function listening() {
  const state = { started: 0 };
  const box = boxOf({
    echo: (call) => {
      state.started += 1;
      return textResult(String((call.input as { readonly text?: unknown }).text));
    },
  });
  const listener = await serveHttp(createProviderHost(box), { port: 0, limits: { requestsPerPrincipal: 4 } });
  return { ...listener, state, [Symbol.asyncDispose]: () => listener.close() };
}

/** A raw request, to be sent without waiting for an answer. */
function written(id: number, method: string, params: { readonly [member: string]: unknown }): string {
  const { headers, body } = modernRequest(id, method, params);
  const text = JSON.stringify(body);
  const lines = Object.entries({
    host: "127.0.0.1",
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "content-length": String(Buffer.byteLength(text)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join("")}\r\n${text}`;
}

const echo = (id: number): string =>
  written(id, "tools/call", { name: "echo", arguments: { text: `t${id}` } });
const listen = written(0, "subscriptions/listen", { notifications: { toolsListChanged: true } });

verifies("host-threats:sent-ahead", "pipelined calls are answered one after the other", async () => {
  await using listener = await listening();
  const socket = connect(listener.port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  socket.write([1, 2, 3, 4, 5, 6].map(echo).join(""));
  await expect.poll(() => text.match(/"t\d"/g)).toEqual(['"t1"', '"t2"', '"t3"', '"t4"', '"t5"', '"t6"']);
  socket.destroy();
});

verifies(
  "host-threats:sent-ahead",
  "calls behind a stream never start, and hold no slot when it ends",
  async () => {
    await using listener = await listening();
    for (let round = 0; round < 3; round += 1) {
      const socket = connect(listener.port, "127.0.0.1");
      socket.write(listen + [1, 2, 3, 4, 5, 6].map(echo).join(""));
      await once(socket, "data");
      socket.destroy();
    }
    const request = modernRequest(9, "tools/call", { name: "echo", arguments: { text: "served" } });
    await expect.poll(async () => textOf(await send(listener.url, request))).toBe("served");
    expect(listener.state.started).toBe(1);
  },
);

verifies("host-threats:sent-ahead", "a client that pipelines too much is disconnected", async () => {
  await using listener = await listening();
  const socket = connect(listener.port, "127.0.0.1").on("error", () => {});
  const gone = once(socket, "close");
  socket.write(listen + Array.from({ length: 40 }, (_, id) => echo(id + 1)).join(""));
  socket.resume();
  await gone;
  expect(listener.state.started).toBe(0);
});
