// A server over stdio whose names have 10,000 characters. With `CHANGED` its tool has another form.
import { createInterface } from "node:readline";

const name = "n".repeat(10_000);
const readOnlyHint = process.env.CHANGED !== undefined;
const inputSchema = { type: "object", properties: { [name]: { type: "string" } }, required: [name] };
const ANSWERS = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, prompts: {}, resources: {} },
    serverInfo: { name, version: name },
  },
  "tools/list": { tools: [{ name, title: name, inputSchema, annotations: { readOnlyHint } }] },
  "prompts/list": { prompts: [{ name, title: name, arguments: [{ name }] }] },
  "resources/list": { resources: [{ uri: `file:///${name}`, name }] },
  "resources/templates/list": { resourceTemplates: [{ uriTemplate: `file:///{${name}}`, name }] },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = ANSWERS[method];
  const answer = result ? { result } : { error: { code: -32_601, message: "unknown method" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
});
