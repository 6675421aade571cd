// A server that counts how many calls it runs at once. It writes each new maximum to a file. Its results may link to a resource
// that is in no list.
//   node counting-server.mjs FILE
import { appendFileSync } from "node:fs";

const [file] = process.argv.slice(2);
let running = 0;
let most = 0;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const ANSWERS = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "counting", version: "1" },
  }),
  ping: () => ({}),
  "resources/list": () => ({ resources: [] }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, text: `the text of ${uri}` }] }),
  "tools/list": () => ({
    tools: ["work", "link"].map((name) => ({ name, inputSchema: { type: "object" } })),
  }),
  "tools/call": async ({ name, arguments: { ms = 5 } = {} }) => {
    if (name === "link")
      return { content: [{ type: "resource_link", uri: "report://only/here", name: "report" }] };
    running += 1;
    if (running > most) {
      most = running;
      appendFileSync(file, `${most}\n`);
    }
    await sleep(ms);
    running -= 1;
    return { content: [{ type: "text", text: "worked" }] };
  },
};

let buffered = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (buffered + chunk).split("\n");
  buffered = lines.pop();
  for (const line of lines) {
    if (line.trim() === "") continue;
    const { id, method, params } = JSON.parse(line);
    const answer = ANSWERS[method];
    if (id === undefined) continue;
    if (answer) void Promise.resolve(answer(params ?? {})).then((result) => send({ id, result }));
    else send({ id, error: { code: -32601, message: "Method not found" } });
  }
});
process.stdin.on("end", () => process.exit(0));
