// A server that offers what a file contains. It imports nothing, so that it starts quickly.
//
//   node listed.mjs FILE
//
// FILE: JSON with "tools", "prompts", "instructions" and "version"; read at each request. "era": "modern" for the newer handshake.
// "listMs": how long it takes to list the tools; "fails": it cannot. The names of the tools that it ran are lines of FILE.calls.
const fs = process.getBuiltinModule("node:fs");
const file = process.argv[2];
const offered = () => JSON.parse(fs.readFileSync(file, "utf8"));
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const VERSION = "2026-07-28";
const isModern = () => offered().era === "modern";
const capabilities = { tools: {}, prompts: {} };
const serverInfo = () => ({ name: "listed", version: offered().version ?? "1.0.0" });

const ANSWERS = {
  "server/discover": () =>
    isModern() && {
      supportedVersions: [VERSION],
      capabilities,
      ttlMs: 0,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": serverInfo() },
    },
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities,
    serverInfo: serverInfo(),
    instructions: offered().instructions,
  }),
  "tools/list": () => (offered().fails ? undefined : { tools: offered().tools ?? [] }),
  "prompts/list": () => ({ prompts: offered().prompts ?? [] }),
  "prompts/get": ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `prompt ${name}` } }],
  }),
  "tools/call": ({ name }) => {
    fs.appendFileSync(`${file}.calls`, `${name}\n`);
    return { content: [{ type: "text", text: `called ${name}` }] };
  },
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
    const answer = result
      ? { id, result: { ...(isModern() && { resultType: "complete" }), ...result } }
      : { id, error: { code: -32601, message: "Method not found" } };
    const { listMs = 0 } = offered();
    if (method === "tools/list" && listMs > 0) setTimeout(() => send(answer), listMs);
    else send(answer);
  }
});
process.stdin.on("end", () => process.exit(0));
