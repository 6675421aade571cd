// One MCP server in your own program: connect, list, call, answer a question, disconnect.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
// #region client
import { MCPClient } from "indusagi/mcp";

// #endregion
const everything = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);

// #region client
const client = new MCPClient({
  name: "everything",
  config: { command: process.execPath, args: [everything, "stdio"] },
  elicitation: async ({ message }) => {
    console.log(message);
    return { action: "accept", content: { name: "Ada" } };
  },
});
await client.connect();
console.log((await client.listTools()).map(({ name }) => name));
const weather = await client.callTool("get-structured-content", { location: "Chicago" }, { timeout: 5000 });
console.log(weather.structuredContent);
const answer = await client.callTool("trigger-elicitation-request");
await client.disconnect();
// #endregion

assert.ok(weather.structuredContent);
assert.match(JSON.stringify(answer.content), /Ada/);
