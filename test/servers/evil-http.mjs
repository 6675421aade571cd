// A scripted MCP server behind HTTP that misbehaves on request. Connecting works; the arguments of a call then choose
// what happens to its HTTP answer.
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createGzip, gzipSync } from "node:zlib";

const VERSION = "2026-07-28";
const META = "io.modelcontextprotocol/";
const CAPABILITIES = { tools: {} };
const IDENTITY = { name: "evil-http", version: "6.6.6" };

const frame = (id, value) => ({
  jsonrpc: "2.0",
  id,
  result: { resultType: "complete", content: [{ type: "text", text: value }] },
});
const event = (message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
const EVENTS = { "content-type": "text/event-stream" };
const JSON_TYPE = { "content-type": "application/json" };

/** The ways to treat the answer to a call. */
const ANSWERS = {
  good: ({ id, response, args }) =>
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(frame(id, args.text ?? "good"))),
  events: ({ id, response, args }) =>
    response.writeHead(200, EVENTS).end(event(frame(id, args.text ?? "good"))),
  status: ({ response, args }) => response.writeHead(args.status, args.headers ?? {}).end(args.body ?? ""),
  redirect: ({ response, args }) => response.writeHead(args.status, { location: args.to }).end(),
  silent: () => {},
  accepted: ({ response }) => response.writeHead(202).end(),
  reset: ({ request }) => request.socket.resetAndDestroy(),
  "reset-in-stream": ({ request, response }) => (
    response.writeHead(200, EVENTS).write(": hello\n\n"),
    setTimeout(() => request.socket.resetAndDestroy(), 20)
  ),
  "reset-in-json": ({ request, response }) => (
    response.writeHead(200, { ...JSON_TYPE, "content-length": "1000" }).write('{"jsonrpc"'),
    setTimeout(() => request.socket.resetAndDestroy(), 20)
  ),
  "half-event": ({ id, response }) =>
    response.writeHead(200, EVENTS).end(event(frame(id, "half")).slice(0, 40)),
  "no-event": ({ response }) => response.writeHead(200, EVENTS).end(),
  comments: ({ response }) => {
    response.writeHead(200, EVENTS);
    const timer = setInterval(() => response.write(": still here\n\n"), 10);
    response.on("close", () => clearInterval(timer));
  },
  /** These bytes as an event stream. `$ID` stands for the id of this call. */
  "raw-events": ({ id, response, args }) =>
    response.writeHead(200, EVENTS).end(args.text.replaceAll("$ID", String(id))),
  /** The same as a body. */
  "raw-json": ({ id, response, args }) => {
    const body = Buffer.from(args.text.replaceAll("$ID", String(id)));
    response.writeHead(200, { ...JSON_TYPE, "content-length": body.length }).end(body);
  },
  "raw-latin1": ({ id, response, args }) =>
    response.writeHead(200, JSON_TYPE).end(Buffer.from(args.text.replaceAll("$ID", String(id)), "latin1")),
  "raw-gzip": ({ id, response, args }) =>
    response
      .writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" })
      .end(gzipSync(args.text.replaceAll("$ID", String(id)))),
  "huge-event": ({ id, response, args }) => {
    response
      .writeHead(200, EVENTS)
      .write(`data: {"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    pour(response, args.bytes, () => response.end('"}]}}\n\n'));
  },
  "huge-json": ({ id, response, args }) => {
    response
      .writeHead(200, JSON_TYPE)
      .write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    pour(response, args.bytes, () => response.end('"}]}}'));
  },
  bomb: ({ id, response, args }) => {
    response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" });
    const gzip = createGzip();
    gzip.on("error", () => {});
    gzip.pipe(response);
    response.on("close", () => gzip.destroy());
    gzip.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    pour(gzip, args.bytes, () => gzip.end('"}]}}'));
  },
  "not-gzip": ({ response }) =>
    response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" }).end("plain"),
  html: ({ response }) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>Log in</h1>"),
  "not-json": ({ response }) => response.writeHead(200, JSON_TYPE).end("{broken"),
  "not-rpc": ({ response }) => response.writeHead(200, JSON_TYPE).end('{"hello":1}'),
  "other-id": ({ id, response }) =>
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(frame(id + 1, "another's"))),
};

/** Writes a number of bytes as fast as the client reads them. */
function pour(stream, bytes, done) {
  const chunk = "x".repeat(65536);
  let left = bytes;
  const more = () => {
    while (left > 0 && !stream.destroyed) {
      left -= chunk.length;
      if (!stream.write(chunk)) return void stream.once("drain", more);
    }
    if (!stream.destroyed) done();
  };
  more();
}

/** `options.era` is `legacy` or `modern`; `options.tls` has key and cert; `options.instead` replaces the request handler. */
export async function serveEvilHttp(options = {}) {
  const seen = [];
  const runs = [];
  let session = 0;
  const handle = async (request, response) => {
    if (!options.keepsNoRecord) seen.push(`${request.method} ${request.url}`);
    response.on("error", () => {});
    if (options.instead) return options.instead(request, response);
    if (request.method === "DELETE") return response.writeHead(200).end();
    if (request.method !== "POST") return response.writeHead(405).end();
    let body = "";
    request.setEncoding("utf8");
    for await (const chunk of request) body += chunk;
    const { id, method, params = {} } = JSON.parse(body);
    if (id === undefined) return response.writeHead(202).end();
    const reply = (result, head = {}) =>
      response.writeHead(200, { ...JSON_TYPE, ...head }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    const refuse = (code) =>
      response
        .writeHead(200, JSON_TYPE)
        .end(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message: "no" } }));
    if (method === "server/discover")
      return options.era === "legacy"
        ? refuse(-32601)
        : reply({
            resultType: "complete",
            supportedVersions: [VERSION],
            capabilities: CAPABILITIES,
            _meta: { [`${META}serverInfo`]: IDENTITY },
          });
    if (method === "initialize")
      return reply(
        { protocolVersion: "2025-06-18", capabilities: CAPABILITIES, serverInfo: IDENTITY },
        { "mcp-session-id": `s${++session}` },
      );
    if (method === "tools/list")
      return reply({
        resultType: "complete",
        ttlMs: 0,
        cacheScope: "private",
        tools: [{ name: "act", inputSchema: { type: "object" } }],
      });
    if (method !== "tools/call") return refuse(-32601);
    const args = params.arguments ?? {};
    if (!options.keepsNoRecord) runs.push(args.do);
    ANSWERS[args.do]({ id, request, response, args });
  };
  const http = options.tls ? createTlsServer(options.tls, handle) : createServer(handle);
  http.on("clientError", (_, socket) => socket.destroy());
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address();
  return {
    port,
    url: `${options.tls ? "https" : "http"}://127.0.0.1:${port}/mcp`,
    seen,
    runs,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => (http.closeAllConnections(), http.close(() => resolve()))),
  };
}
