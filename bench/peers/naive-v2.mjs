// The same on the second SDK, as its documentation shows, for both eras.
//   node naive-v2.mjs PORT|stdio COMMAND ARGUMENT …
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const [front, command, ...args] = process.argv.slice(2);
const client = new Client({ name: "naive", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, maxBufferSize: 1e9 }));
function open() {
  const server = new Server({ name: "naive", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => client.listTools());
  server.setRequestHandler("tools/call", ({ params: { name, arguments: input } }) =>
    client.callTool({ name, arguments: input }),
  );
  return server;
}
async function listen() {
  const modern = toNodeHandler(createMcpHandler(open, { legacy: "reject" }));
  const sessions = new Map();
  createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
    if (!(await isLegacyRequest(await toWebRequest(request, body), body)))
      return modern(request, response, body);
    let transport = sessions.get(request.headers["mcp-session-id"]);
    if (!transport) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await open().connect(transport);
    }
    await transport.handleRequest(request, response, body);
  }).listen(Number(front), "127.0.0.1");
}
if (front === "stdio") {
  serveStdio(open);
  process.stdin.on("end", () => process.exit(0));
} else await listen();
