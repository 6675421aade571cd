// The server of the lane cases, written by hand and without imports, so that its own time is as small as Node allows.
//   node echo.mjs stdio|http [TOOLS]
// It offers `echo`, `huge` and as many more tools as asked for, each as large as a usual one.
const property = (name, at) => ({
  type: "string",
  description: `The ${name} of the records that tool ${at} works on.`,
});
const NAMES = ["path", "pattern", "limit", "offset", "order"];
const shelf = (at) => ({
  name: `tool_${at}`,
  description: `Finds the records that match a pattern, form ${at}, and returns them one per line with their position.`,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(NAMES.map((name) => [name, property(name, at)])),
    required: ["path"],
  },
});
const [front, count = "0"] = process.argv.slice(2);
const tools = [
  { name: "echo", inputSchema: { type: "object", properties: { text: { type: "string" } } } },
  { name: "huge", inputSchema: { type: "object", properties: { bytes: { type: "integer" } } } },
  ...Array.from({ length: Number(count) }, (_, at) => shelf(at)),
];

function resultOf(method, params) {
  switch (method) {
    case "tools/call": {
      const { text, bytes } = params.arguments ?? {};
      return { content: [{ type: "text", text: bytes === undefined ? String(text) : "x".repeat(bytes) }] };
    }
    case "tools/list":
      return { tools };
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "echo", version: "1.0.0" },
      };
    case "ping":
      return {};
  }
}

/** Nothing for a notification. */
function answerTo({ id, method, params }) {
  if (id === undefined || method === undefined) return;
  const result = resultOf(method, params);
  const body = result ? { result } : { error: { code: -32601, message: "Method not found" } };
  return JSON.stringify({ jsonrpc: "2.0", id, ...body });
}

function serveStdio() {
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const answer = line === "" ? undefined : answerTo(JSON.parse(line));
      if (answer !== undefined) process.stdout.write(`${answer}\n`);
    }
  });
  process.stdin.on("end", () => process.exit(0));
}

async function serveHttp() {
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    let body = "";
    request.setEncoding("utf8").on("data", (text) => (body += text));
    request.on("end", () => {
      const answer = answerTo(JSON.parse(body));
      if (answer === undefined) return response.writeHead(202).end();
      const bytes = Buffer.from(answer);
      response
        .writeHead(200, { "content-type": "application/json", "content-length": bytes.length })
        .end(bytes);
    });
  });
  // A client that rests while others are measured keeps its connections.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1", () =>
    process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`),
  );
}

if (front === "http") await serveHttp();
else serveStdio();
