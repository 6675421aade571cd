// A server whose readiness a test decides. It imports nothing, so that many of them start quickly.
//
//   node gated.mjs [--gate FILE] [--tools FILE] [--count N] [--fail FILE] [--quit-at METHOD] [--mark FILE]
//
// --gate FILE: it answers nothing before the file exists.
// --tools FILE: the names of its tools, one per line; read at the start. --count N: tools t0 … t(N-1) instead.
// --fail FILE: as soon as the file exists, it exits with code 3. --quit-at METHOD: when it gets such a request.
// --mark FILE: it writes the time of its start into the file.
const fs = process.getBuiltinModule("node:fs");
const argv = process.argv.slice(2);
const value = (flag) => (argv.includes(flag) ? argv[argv.indexOf(flag) + 1] : undefined);
const [gate, toolsFile, failFile] = [value("--gate"), value("--tools"), value("--fail")];
const names = toolsFile
  ? fs.readFileSync(toolsFile, "utf8").split("\n").filter(Boolean)
  : Array.from({ length: Number(value("--count") ?? 1) }, (_, at) => `t${at}`);

if (argv.includes("--mark")) fs.writeFileSync(value("--mark"), String(Date.now()));

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const held = [];
const isOpen = () => gate === undefined || fs.existsSync(gate);

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, prompts: {}, resources: {} },
    serverInfo: { name: "gated", version: String(process.pid) },
    instructions: "Wait for the gate.",
  }),
  "tools/list": () => ({ tools: names.map((name) => ({ name, inputSchema: { type: "object" } })) }),
  "prompts/list": () => ({ prompts: [{ name: "greet" }] }),
  "resources/list": ({ cursor }) =>
    cursor === "2"
      ? { resources: [{ uri: "test://b", name: "b" }] }
      : { resources: [{ uri: "test://a", name: "a" }], nextCursor: "2" },
  "tools/call": ({ name }) => ({ content: [{ type: "text", text: `called ${name}` }] }),
  ping: () => ({}),
};

function answer({ id, method, params = {} }) {
  if (id === undefined) return;
  if (method === value("--quit-at")) process.exit(3);
  const result = ANSWERS[method]?.(params);
  send(result ? { id, result } : { id, error: { code: -32601, message: "Method not found" } });
}

function drain() {
  if (failFile !== undefined && fs.existsSync(failFile)) process.exit(3);
  // Looks busy: a start without a sign of work is not waited for.
  if (!isOpen()) fs.readFileSync(new URL(import.meta.url));
  if (isOpen()) for (const message of held.splice(0)) answer(message);
}

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) if (line !== "") held.push(JSON.parse(line));
  drain();
});
process.stdin.on("end", () => process.exit(0));
if (gate !== undefined || failFile !== undefined) setInterval(drain, 20);
