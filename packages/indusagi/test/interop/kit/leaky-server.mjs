// A scripted MCP server of the legacy era that shows the value of the environment variable LEAK wherever it can.
//   node leaky-server.mjs [--die] [--garbage] [--bad-list]
const argv = process.argv.slice(2);
const secret = process.env.LEAK ?? "";
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** In two pieces, so that the secret arrives in two chunks. */
async function complain() {
  const half = Math.floor(secret.length / 2);
  process.stderr.write(`cannot log in with ${secret.slice(0, half)}`);
  await sleep(50);
  const encoded = Buffer.from(`me:${secret}`).toString("base64");
  process.stderr.write(
    `${secret.slice(half)} or ${encoded} or ${encodeURIComponent(secret)}\nrefused: ${secret}\n`,
  );
}

async function die() {
  await complain();
  await sleep(50);
  process.exit(3);
}

const CALLS = {
  result: (id) => send({ id, result: { content: [{ type: "text", text: secret }] } }),
  refuse: (id) =>
    send({ id, error: { code: -32000, message: `bad login ${secret}`, data: { tried: [secret] } } }),
  log: (id) => {
    send({ method: "notifications/message", params: { level: "info", data: `using ${secret}` } });
    send({ id, result: { content: [] } });
  },
  complain: async (id) => {
    await complain();
    send({ id, result: { content: [] } });
  },
  die: () => die(),
};

const ANSWERS = {
  initialize: (id, params) =>
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {}, logging: {} },
        serverInfo: { name: "leaky", version: "1" },
      },
    }),
  "tools/list": (id) =>
    argv.includes("--bad-list")
      ? send({ id, error: { code: -32000, message: `no tools for ${secret}` } })
      : send({
          id,
          result: { tools: Object.keys(CALLS).map((name) => ({ name, inputSchema: { type: "object" } })) },
        }),
  "tools/call": (id, params) => CALLS[params.name](id),
};

if (argv.includes("--garbage")) process.stdout.write(`starting with ${secret}\n`);
if (argv.includes("--die")) await die();
let buffered = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (buffered + chunk).split("\n");
  buffered = lines.pop() ?? "";
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    const answer = ANSWERS[method];
    if (answer) void answer(id, params ?? {});
    else send({ id, error: { code: -32601, message: "Method not found" } });
  }
});
process.stdin.on("end", () => process.exit(0));
