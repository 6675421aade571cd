// The same echo tool on the bare SDK, served as its documentation shows, with sessions for the 2025 revision.
// With --event-store those sessions keep their events, so that a client can resume a stream; our host always does.
//   node bare.mjs stdio|http [--event-store]
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };

function factory() {
  const server = new Server({ name: "bare", version: "1.0.0" }, { capabilities: { tools: {}, logging: {} } });
  server.setRequestHandler("tools/list", () => ({
    tools: [{ name: "echo", description: "Echoes.", inputSchema }],
  }));
  server.setRequestHandler("tools/call", ({ params }) => ({
    content: [{ type: "text", text: params.arguments.text }],
  }));
  return server;
}

/** The smallest event store that works. */
function eventStore() {
  const events = new Map();
  let last = 0;
  return {
    async storeEvent(stream, message) {
      last += 1;
      events.set(`${stream}_${last}`, { stream, message });
      return `${stream}_${last}`;
    },
    async getStreamIdForEventId(id) {
      return events.get(id)?.stream;
    },
    async replayEventsAfter(id, { send }) {
      const { stream } = events.get(id) ?? {};
      let isAfter = false;
      for (const [each, event] of events) {
        if (isAfter && event.stream === stream) await send(each, event.message);
        isAfter ||= each === id;
      }
      return stream ?? "";
    },
  };
}

const keepsEvents = process.argv.includes("--event-store");

async function listen() {
  const modern = toNodeHandler(createMcpHandler(factory, { legacy: "reject" }));
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
    if (!(await isLegacyRequest(await toWebRequest(request, body), body)))
      return modern(request, response, body);
    let transport = sessions.get(request.headers["mcp-session-id"]);
    if (!transport) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        ...(keepsEvents ? { eventStore: eventStore() } : {}),
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await factory().connect(transport);
    }
    await transport.handleRequest(request, response, body);
  });
  http.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${http.address().port}/mcp\n`));
}

if (process.argv[2] === "stdio") serveStdio(factory);
else await listen();
