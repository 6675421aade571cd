// A server with as many tools as asked for, each as large as a usual one. It imports nothing, so that many start quickly.
//   node shelf.mjs COUNT
const property = (name, at) => ({
  type: "string",
  description: `The ${name} of the records that tool ${at} works on.`,
});
const names = ["path", "pattern", "limit", "offset", "order"];
const tools = Array.from({ length: Number(process.argv[2]) }, (_, at) => ({
  name: `tool_${at}`,
  description: `Finds the records that match a pattern, form ${at}, and returns them one per line with their position.`,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, property(name, at)])),
    required: ["path"],
  },
}));

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "shelf", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: { bytes = 0 } = {} }) => ({
    content: [{ type: "text", text: bytes > 0 ? "x".repeat(bytes) : `called ${name}` }],
  }),
  ping: () => ({}),
};

function answer({ id, method, params = {} }) {
  if (id === undefined) return;
  const result = ANSWERS[method]?.(params);
  const body = result ? { result } : { error: { code: -32601, message: "Method not found" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
}

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) if (line !== "") answer(JSON.parse(line));
});
process.stdin.on("end", () => process.exit(0));
