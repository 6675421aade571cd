// A gateway as one writes it in an hour on the first SDK: one client to a stdio server, one SDK server per session.
//   node naive-v1.mjs PORT|stdio COMMAND ARGUMENT …
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [front, command, ...args] = process.argv.slice(2);
const client = new Client({ name: "naive", version: "1.0.0" });
// Its limit of 10 MB is raised: it would end the connection of everyone.
await client.connect(new StdioClientTransport({ command, args, maxBufferSize: 1e9 }));
function open() {
  const server = new Server({ name: "naive", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => client.listTools());
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => client.callTool(params));
  return server;
}
const sessions = new Map();
async function openSession() {
  const onsessioninitialized = (id) => sessions.set(id, transport);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized,
  });
  await open().connect(transport);
  return transport;
}
if (front === "stdio") {
  await open().connect(new StdioServerTransport());
  process.stdin.on("end", () => process.exit(0));
} else
  createServer(async (request, response) =>
    (sessions.get(request.headers["mcp-session-id"]) ?? (await openSession())).handleRequest(
      request,
      response,
    ),
  ).listen(Number(front), "127.0.0.1");
