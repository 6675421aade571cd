// MCP tools for the Vercel AI SDK. The model is a mock that calls one tool; any model of the SDK works.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
// #region ai-sdk
import { generateText, stepCountIs } from "ai";
import { MCPClientPool, toAiSdkTools } from "indusagi/mcp";

// #endregion
const { MockLanguageModelV3 } = await import("ai/test");
const everything = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const input = JSON.stringify({ a: 2, b: 40 });
const model = new MockLanguageModelV3({
  doGenerate: [
    {
      content: [{ type: "tool-call", toolCallId: "1", toolName: "everything_get-sum", input }],
      finishReason: { unified: "tool-calls", raw: undefined },
      usage,
      warnings: [],
    },
    {
      content: [{ type: "text", text: "It is 42." }],
      finishReason: { unified: "stop", raw: undefined },
      usage,
      warnings: [],
    },
  ],
});

// #region ai-sdk
const pool = new MCPClientPool({
  servers: [{ name: "everything", config: { command: process.execPath, args: [everything, "stdio"] } }],
});
await pool.connectAll();
const { text, steps } = await generateText({
  model,
  tools: toAiSdkTools(pool),
  prompt: "What is 2 and 40?",
  stopWhen: stepCountIs(3),
});
console.log(text);
await pool.disconnectAll();
// #endregion

assert.match(JSON.stringify(steps[0]?.toolResults), /42/);
assert.equal(text, "It is 42.");
