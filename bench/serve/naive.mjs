// A gateway as one writes it in an hour on the SDK: one client to a stdio server, one SDK server per session.
//   node naive.mjs PORT COMMAND ARGUMENT …
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [port, command, ...args] = process.argv.slice(2);
const client = new Client({ name: "naive", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args }));
const sessions = new Map();
async function open() {
  const server = new Server({ name: "naive", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => client.listTools());
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => client.callTool(params));
  const onsessioninitialized = (id) => sessions.set(id, transport);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized,
  });
  await server.connect(transport);
  return transport;
}
createServer(async (request, response) =>
  (sessions.get(request.headers["mcp-session-id"]) ?? (await open())).handleRequest(request, response),
).listen(Number(port), "127.0.0.1");
