// The same offer as server.mjs on the official SDK, over stdio or Streamable HTTP, in one era or in both.
//   node sdk.mjs stdio|http [--era legacy|modern|both]
// Over HTTP it prints its URL on one line.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest, ProtocolError, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { CAPABILITIES, createOffer, INFO, INSTRUCTIONS } from "./offer.mjs";

const era = process.argv.includes("--era") ? process.argv[process.argv.indexOf("--era") + 1] : "both";
const offer = createOffer();
/** The servers of open connections and of legacy sessions, with the resources they were asked to watch. */
const connections = new Map();

const CHANGED = {
  tools: "sendToolListChanged",
  prompts: "sendPromptListChanged",
  resources: "sendResourceListChanged",
};
/** Modern HTTP clients are told through the handler, all others through their connection. */
let notifier;
offer.changed = async (kind) => {
  notifier?.[`${kind}Changed`]();
  for (const server of connections.keys()) await server[CHANGED[kind]]();
};
offer.updated = async (uri) => {
  notifier?.resourceUpdated(uri);
  for (const [server, uris] of connections)
    if (uris.has(uri) || server.isListening) await server.sendResourceUpdated({ uri });
};

/** What the SDK sends for an error with a code. */
function rpcError({ code = -32603, message, data }) {
  return new ProtocolError(code, String(message), data);
}

function handler(run) {
  return async (request, ctx) => {
    try {
      return await run(request.params ?? {}, ctx);
    } catch (thrown) {
      if (thrown.suspended) return { resultType: "input_required", ...thrown.suspended };
      throw thrown instanceof Error ? thrown : rpcError(thrown);
    }
  };
}

/** The answer to a question, or a suspension: the SDK asks a legacy client itself and calls again. */
function askWith({ mcpReq }) {
  return async (key, question) => {
    const state = mcpReq.requestState;
    const known = {
      ...JSON.parse((typeof state === "function" ? state() : state) ?? "{}"),
      ...mcpReq.inputResponses,
    };
    if (known[key] !== undefined) return known[key];
    throw { suspended: { inputRequests: { [key]: question }, requestState: JSON.stringify(known) } };
  };
}

function callWith(ctx) {
  const { mcpReq } = ctx;
  const token = mcpReq._meta?.progressToken;
  return {
    meta: mcpReq._meta,
    signal: mcpReq.signal,
    progress: async (note) =>
      token === undefined
        ? undefined
        : mcpReq.notify({ method: "notifications/progress", params: { progressToken: token, ...note } }),
    log: async ({ level, logger, data }) => mcpReq.log(level, data, logger),
    ask: askWith(ctx),
  };
}

function factory() {
  const server = new Server(INFO, { capabilities: CAPABILITIES, instructions: INSTRUCTIONS });
  for (const [method, list] of Object.entries(offer.lists)) server.setRequestHandler(method, () => list());
  const handlers = {
    "tools/call": (params, ctx) => offer.call(params.name, params.arguments, callWith(ctx)),
    "resources/read": ({ uri }) => offer.read(uri),
    "prompts/get": ({ name, arguments: args }) => offer.prompt(name, args),
    "completion/complete": (params) => offer.complete(params),
    "resources/subscribe": ({ uri }) => (connections.get(server)?.add(uri), {}),
    "resources/unsubscribe": ({ uri }) => (connections.get(server)?.delete(uri), {}),
  };
  for (const [method, run] of Object.entries(handlers)) server.setRequestHandler(method, handler(run));
  return server;
}

/** A server that lives as long as its connection. */
function connected() {
  const server = factory();
  connections.set(server, new Set());
  const { onclose } = server;
  server.onclose = () => (connections.delete(server), onclose?.());
  return server;
}

async function listen() {
  const modernHandler = createMcpHandler(factory, { legacy: "reject" });
  notifier = modernHandler.notify;
  const modern = toNodeHandler(modernHandler);
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
    const isLegacy = await isLegacyRequest(await toWebRequest(request, body), body);
    if (era === "modern" || (era === "both" && !isLegacy)) return modern(request, response, body);
    let transport = sessions.get(request.headers["mcp-session-id"]);
    if (!transport) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => sessions.set(id, transport),
        onsessionclosed: (id) => sessions.delete(id),
      });
      await connected().connect(transport);
    }
    await transport.handleRequest(request, response, body);
  });
  http.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${http.address().port}/mcp\n`));
  process.stdin.once("end", () => process.exit(0)).resume();
}

/** On stdio the SDK has one server per connection; its listeners of the modern era filter what it sends. */
function serveConnection() {
  serveStdio(
    () => {
      const server = connected();
      server.isListening = era !== "legacy";
      return server;
    },
    { legacy: era === "modern" ? "reject" : "serve" },
  );
}

/** A legacy server knows nothing of the modern era: it is the same server on the transport of a connection. */
async function serveLegacyConnection() {
  const { StdioServerTransport } = await import("@modelcontextprotocol/server/stdio");
  await connected().connect(new StdioServerTransport());
}

if (process.argv[2] === "http") await listen();
else if (era === "legacy") await serveLegacyConnection();
else serveConnection();
