// Tools of your own as an MCP server, here over HTTP; `await server.startStdio()` is the other way.
import assert from "node:assert/strict";
// #region server
import { createMCPServer, MCPClient } from "indusagi/mcp";

const server = createMCPServer({
  name: "my-agent",
  tools: [
    {
      name: "shout",
      description: "Says it louder.",
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      execute: async (_id, { text }) => ({ content: [{ type: "text", text: String(text).toUpperCase() }] }),
    },
  ],
});
const { url } = await server.startHttp({ port: 0 });

const client = new MCPClient({ name: "me", config: { url } });
await client.connect();
const { content } = await client.callTool("shout", { text: "hello" });
server.removeTool("shout"); // Clients are told: the next listTools() lacks it.
await client.disconnect();
await server.stop();
// #endregion

console.log(content);
assert.deepEqual(content, [{ type: "text", text: "HELLO" }]);
