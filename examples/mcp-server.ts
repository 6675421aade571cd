// Your own tools as an MCP server over HTTP. For stdio, use `await server.startStdio()`.
import assert from "node:assert/strict";
// #region server
import { createMCPServer, MCPClient } from "indusagi/mcp";

const server = createMCPServer({
  name: "my-agent",
  tools: [
    {
      name: "shout",
      description: "Converts text to upper case.",
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      execute: async (_id, { text }) => ({ content: [{ type: "text", text: String(text).toUpperCase() }] }),
    },
  ],
});
const { url } = await server.startHttp({ port: 0 });

const client = new MCPClient({ name: "me", config: { url } });
await client.connect();
const { content } = await client.callTool("shout", { text: "hello" });
server.removeTool("shout"); // Clients get list_changed; the next listTools() does not contain it.
await client.disconnect();
await server.stop();
// #endregion

console.log(content);
assert.deepEqual(content, [{ type: "text", text: "HELLO" }]);
