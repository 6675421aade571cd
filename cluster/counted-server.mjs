// An MCP server whose side effects can be counted: one line in a file for each call that runs.
//   node counted-server.mjs --ran FILE --instances FOLDER --name NAME [--modern]
// FOLDER gets a file for each process, with when it started and when it was last alive, so that two at once are seen.
import { appendFileSync, closeSync, openSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";

const argv = process.argv.slice(2);
const value = (flag) => argv[argv.indexOf(flag) + 1];
const name = value("--name");
const nowMs = () => Number(process.hrtime.bigint() / 1000n) / 1000; // The clock of the whole machine.

// Fixed width, so that a later time replaces the earlier one.
const own = openSync(join(value("--instances"), `${name}.${process.pid}`), "w");
const startedMs = nowMs();
const beat = () =>
  writeSync(own, `${process.ppid} ${startedMs.toFixed(3)} ${nowMs().toFixed(3)}`.padEnd(80), 0);
beat();
setInterval(beat, 20);
const last = join(value("--instances"), `${name}.last`);
writeFileSync(`${last}.new`, String(process.pid));
renameSync(`${last}.new`, last);

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (given) => ({ content: [{ type: "text", text: String(given) }] });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const tool = (each) => ({ name: each, description: `The ${each} tool.`, inputSchema: { type: "object" } });

const MODERN = argv.includes("--modern");
const VERSION = "2026-07-28";

let held = 0;

const TOOLS = {
  echo: (args) => text(args.text),
  // The side effect comes before the answer.
  count: async ({ id, waitMs = 0 }) => {
    appendFileSync(value("--ran"), `${id} ${process.pid}\n`);
    await sleep(waitMs);
    return text(id);
  },
  // Answers how many of its calls run now.
  hold: async ({ waitMs }) => {
    held += 1;
    const most = held;
    await sleep(waitMs);
    held -= 1;
    return text(most);
  },
  // Only of the newer protocol, in which a question belongs to its call.
  ...(MODERN && {
    ask: ({ id }, { inputResponses, requestState }) => {
      if (inputResponses) return text(`${requestState} ${id} ${inputResponses.word?.content?.word}`);
      const requestedSchema = { type: "object", properties: { word: { type: "string" } } };
      const params = { mode: "form", message: `word for ${id}`, requestedSchema };
      const inputRequests = { word: { method: "elicitation/create", params } };
      return { resultType: "input_required", inputRequests, requestState: `state of ${id}` };
    },
  }),
};

const ANSWERS = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name, version: "1.0.0" },
  }),
  ...(MODERN && {
    "server/discover": () => ({
      supportedVersions: [VERSION],
      capabilities: { tools: {} },
      _meta: { "io.modelcontextprotocol/serverInfo": { name, version: "1.0.0" } },
    }),
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: Object.keys(TOOLS).map(tool) }),
  "tools/call": (params) => TOOLS[params.name](params.arguments ?? {}, params),
};

async function receive({ id, method, params }) {
  if (id === undefined) return;
  const answer = ANSWERS[method];
  if (!answer) return send({ id, error: { code: -32601, message: "Method not found" } });
  const result = await answer(params ?? {});
  send({ id, result: MODERN ? { resultType: "complete", ...result } : result });
}

let buffered = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  buffered += chunk;
  const lines = buffered.split("\n");
  buffered = lines.pop();
  for (const line of lines) if (line.trim() !== "") void receive(JSON.parse(line));
});
process.stdin.on("end", () => {
  beat();
  closeSync(own);
  process.exit(0);
});
