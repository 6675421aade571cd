// A server that offers what a file contains. It imports nothing, so that it starts quickly.
//
//   node listed.mjs FILE
//
// FILE: JSON with "tools", "prompts", "instructions" and "version"; read at each request.
const fs = process.getBuiltinModule("node:fs");
const file = process.argv[2];
const offered = () => JSON.parse(fs.readFileSync(file, "utf8"));
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, prompts: {} },
    serverInfo: { name: "listed", version: offered().version ?? "1.0.0" },
    instructions: offered().instructions,
  }),
  "tools/list": () => ({ tools: offered().tools ?? [] }),
  "prompts/list": () => ({ prompts: offered().prompts ?? [] }),
  "prompts/get": ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `prompt ${name}` } }],
  }),
  "tools/call": ({ name }) => ({ content: [{ type: "text", text: `called ${name}` }] }),
  ping: () => ({}),
};

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines.filter(Boolean)) {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined) continue;
    const result = ANSWERS[method]?.(params);
    send(result ? { id, result } : { id, error: { code: -32601, message: "Method not found" } });
  }
});
process.stdin.on("end", () => process.exit(0));
