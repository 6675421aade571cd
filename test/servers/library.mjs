// A server whose lists, contents and answers are in a file. It imports nothing, so that it starts quickly.
//
//   node library.mjs FILE
//
// FILE: JSON, read at each request, with "resources", "templates", "prompts", "tools" (names), "definitions" (of tools),
// "results" (by tool), "answers" (whole results, by method), "capabilities" (added to the usual ones), "hangs" (methods that are never
// answered) and "refuses" (methods that are answered with an error). What is read, fetched or called has the request's `_meta` in its own, as "asked".
const fs = process.getBuiltinModule("node:fs");
const file = process.argv[2];
const offered = () => JSON.parse(fs.readFileSync(file, "utf8"));
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/** The request's `_meta` without what each client adds. */
function asked({ _meta: meta = {} }) {
  const rest = Object.entries(meta).filter(([name]) => name !== "progressToken");
  return rest.length > 0 ? { _meta: { asked: Object.fromEntries(rest) } } : {};
}

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {}, prompts: {}, ...offered().capabilities },
    serverInfo: { name: "library", version: "1.0.0" },
  }),
  "tools/list": () => {
    const { tools = [], definitions = [] } = offered();
    return { tools: [...tools.map((name) => ({ name, inputSchema: { type: "object" } })), ...definitions] };
  },
  "resources/list": () => ({ resources: offered().resources ?? [] }),
  "resources/templates/list": () => ({ resourceTemplates: offered().templates ?? [] }),
  "prompts/list": () => ({ prompts: offered().prompts ?? [] }),
  "resources/read": (params) => ({
    contents: [{ uri: params.uri, mimeType: "text/plain", text: `${file} ${params.uri}` }],
    ...asked(params),
  }),
  "prompts/get": (params) => ({
    description: params.name,
    messages: [{ role: "user", content: { type: "text", text: JSON.stringify(params.arguments) } }],
    ...asked(params),
  }),
  "completion/complete": ({ ref, argument }) => ({
    completion: { values: [`${ref.name ?? ref.uri} ${argument.value}`], total: 1, hasMore: false },
  }),
  "tools/call": (params) => ({ ...offered().results?.[params.name], ...asked(params) }),
  ping: () => ({}),
};

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines.filter(Boolean)) {
    const { id, method, params = {} } = JSON.parse(line);
    const { hangs, refuses, answers } = offered();
    if (id === undefined || hangs?.includes(method)) continue;
    const result = answers?.[method] ?? ANSWERS[method]?.(params);
    if (refuses?.includes(method)) send({ id, error: { code: -32603, message: "the database is locked" } });
    else send(result ? { id, result } : { id, error: { code: -32601, message: "Method not found" } });
  }
});
process.stdin.on("end", () => process.exit(0));
