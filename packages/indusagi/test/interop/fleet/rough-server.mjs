// A scripted MCP server, of the legacy era unless --modern is given, that misbehaves as its flags ask. It has no imports at the top, to start fast.
//   node rough-server.mjs [--count FILE] [--starts FILE] [--die-after MS] [--crash] [--mute] [--flood] [--modern] [--boot MS]
// Its version is its process id, so that a test knows which process to kill.

const { appendFileSync } = process.getBuiltinModule("node:fs");
const argv = process.argv.slice(2);
const has = (flag) => argv.includes(flag);
const value = (flag) => argv[argv.indexOf(flag) + 1];

if (has("--starts")) appendFileSync(value("--starts"), `${process.pid}\n`);
// What a server with libraries does before it reads its input.
if (has("--boot"))
  for (
    const untilMs = process.cpuUsage().user / 1000 + Number(value("--boot"));
    process.cpuUsage().user / 1000 < untilMs;
  );
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
  // Stops everything: until it ends, the process reads nothing and writes nothing.
  freeze: ({ ms = Number.POSITIVE_INFINITY }) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    return text("thawed");
  },
  // The call is not answered; the process stays responsive.
  never: () => new Promise(() => {}),
  // The same, with output on standard error from time to time.
  mutter: () => new Promise(() => setInterval(() => process.stderr.write("still working\n"), 20)),
};

const VERSION = "2026-07-28";
const META = "io.modelcontextprotocol/";
const serverInfo = { name: "rough", version: String(process.pid) };

const ANSWERS = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo,
  }),
  ...(has("--modern") && {
    "server/discover": () => ({
      supportedVersions: [VERSION],
      capabilities: { tools: {} },
      _meta: { [`${META}serverInfo`]: serverInfo },
    }),
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: Object.keys(TOOLS).map(tool) }),
  "tools/call": (params) => TOOLS[params.name](params.arguments ?? {}),
};

async function receive({ id, method, params }) {
  if (id === undefined || has("--mute")) return;
  const answer = ANSWERS[method];
  if (!answer) return send({ id, error: { code: -32601, message: "Method not found" } });
  const result = await answer(params ?? {});
  send({ id, result: has("--modern") ? { resultType: "complete", ...result } : result });
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
