// A scripted MCP server of the legacy era that misbehaves as its flags ask. It has no imports at the top, to start fast.
//   node rough-server.mjs [--count FILE] [--starts FILE] [--die-after MS] [--crash] [--mute] [--flood]
// Its version is its process id, so that a test knows which process to kill.

const { appendFileSync } = process.getBuiltinModule("node:fs");
const argv = process.argv.slice(2);
const has = (flag) => argv.includes(flag);
const value = (flag) => argv[argv.indexOf(flag) + 1];

if (has("--starts")) appendFileSync(value("--starts"), `${process.pid}\n`);
if (has("--crash")) {
  process.stderr.write("the database is locked\n");
  process.exit(7);
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (message) => ({ content: [{ type: "text", text: String(message) }] });
const tool = (name) => ({ name, description: `The ${name} tool.`, inputSchema: { type: "object" } });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const TOOLS = {
  echo: (args) => text(args.text),
  // The side effect, a line in a file, comes before the answer.
  count: async ({ key, waitMs = 0 }) => {
    appendFileSync(value("--count"), `${key}\n`);
    await sleep(waitMs);
    return text(key);
  },
};

const ANSWERS = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "rough", version: String(process.pid) },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: Object.keys(TOOLS).map(tool) }),
  "tools/call": (params) => TOOLS[params.name](params.arguments ?? {}),
};

async function receive({ id, method, params }) {
  if (id === undefined || has("--mute")) return;
  const answer = ANSWERS[method];
  if (!answer) return send({ id, error: { code: -32601, message: "Method not found" } });
  send({ id, result: await answer(params ?? {}) });
  if (method === "initialize" && has("--flood")) flood();
}

function flood() {
  setInterval(() => {
    for (let i = 0; i < 20; i++) send({ method: "notifications/tools/list_changed" });
    process.stderr.write(`${"noise ".repeat(2000)}\n`);
  }, 5);
}

if (has("--die-after")) setTimeout(() => process.exit(1), Number(value("--die-after")));
let buffered = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  buffered += chunk;
  const lines = buffered.split("\n");
  buffered = lines.pop();
  for (const line of lines) if (line.trim() !== "") void receive(JSON.parse(line));
});
process.stdin.on("end", () => process.exit(0));
