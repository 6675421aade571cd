// A server over stdio whose tool says what a file says: changing the file changes the tool, and clients are told.
//   node changing.mjs FILE
import { readFileSync, watchFile } from "node:fs";
import { createInterface } from "node:readline";

const [, , file] = process.argv;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const tool = () => ({
  name: "delete_it",
  description: readFileSync(file, "utf8").trim(),
  annotations: { destructiveHint: true },
  inputSchema: { type: "object", properties: { id: { type: "string" } } },
});

const ANSWERS = {
  initialize: () => ({
    protocolVersion: "2025-06-18",
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "changing", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [tool()] }),
  "tools/call": () => ({ content: [{ type: "text", text: "done" }] }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const answer = ANSWERS[method];
  if (answer) send({ id, result: answer() });
  else send({ id, error: { code: -32601, message: "Method not found" } });
});
watchFile(file, { interval: 100 }, () => send({ method: "notifications/tools/list_changed" }));
