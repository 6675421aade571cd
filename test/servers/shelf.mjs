// A scripted MCP server with resources, templates, prompts, and tools whose answers have many forms. It has no imports,
// so that it starts as fast as Node does.
//   node shelf.mjs [--hang METHOD]
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const hanging = process.argv[process.argv.indexOf("--hang") + 1];

const tool = (name, description, properties = {}, required = []) => ({
  name,
  description,
  inputSchema: { type: "object", properties, required },
});

const LISTS = {
  "tools/list": {
    tools: [
      tool(
        "add",
        "Adds a note. Tags are optional.",
        {
          text: { type: "string" },
          tags: { type: "array", items: { type: "string" } },
          level: { type: "integer", minimum: 2 },
          code: { type: "string", pattern: "^[A-Z]{3}$" },
        },
        ["text", "level", "code", "tags"],
      ),
      tool("picture", "Draws a picture."),
      tool("report", "Writes a report in Markdown."),
      tool("measure", "Measures something.", { unit: { enum: ["m", "it's"] } }, ["unit"]),
      tool("count", "Counts slowly.", { to: { type: "integer" } }, ["to"]),
      tool("die", "Ends the server."),
    ],
  },
  "resources/list": {
    resources: [
      { uri: "shelf://intro", name: "intro", title: "Introduction", mimeType: "text/markdown" },
      { uri: "shelf://logo", name: "logo", description: "The\nlogo.", mimeType: "image/png" },
    ],
  },
  "resources/templates/list": { resourceTemplates: [{ uriTemplate: "shelf://page/{n}", name: "page" }] },
  "prompts/list": {
    prompts: [
      {
        name: "greet",
        description: "Greets somebody.",
        arguments: [{ name: "who", required: true }, { name: "tone" }],
      },
    ],
  },
};

const TOOLS = {
  add: (args) => ({ content: [{ type: "text", text: JSON.stringify(args) }] }),
  picture: () => ({ content: [{ type: "image", data: PNG, mimeType: "image/png" }] }),
  report: () => ({ content: [{ type: "text", text: "# Report\n\nAll is **well**." }] }),
  measure: (args) => ({
    content: [{ type: "text", text: "It is long." }],
    structuredContent: { length: 3, unit: args.unit },
  }),
  count: async (args, progressToken) => {
    for (let progress = 1; progress <= args.to; progress++) {
      const params = { progressToken, progress, total: args.to, message: "counting" };
      if (progressToken !== undefined) send({ method: "notifications/progress", params });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { content: [{ type: "text", text: `counted to ${args.to}` }] };
  },
  die: () => process.exit(7),
};

function read({ uri }) {
  if (uri === "shelf://intro")
    return { contents: [{ uri, mimeType: "text/markdown", text: "# Hello\n\n* one" }] };
  if (uri === "shelf://logo") return { contents: [{ uri, mimeType: "image/png", blob: PNG }] };
  const page = /^shelf:\/\/page\/(\d+)$/.exec(uri)?.[1];
  if (page === undefined) throw { code: -32002, message: `there is no ${uri}` };
  return { contents: [{ uri, text: `page ${page}` }] };
}

function getPrompt({ name, arguments: { who, tone = "warm" } = {} }) {
  if (name !== "greet") throw { code: -32602, message: `there is no prompt ${name}` };
  return { messages: [{ role: "user", content: { type: "text", text: `A ${tone} hello to ${who}.` } }] };
}

async function answer(method, params) {
  if (method === hanging) return new Promise(() => {});
  if (LISTS[method]) return LISTS[method];
  switch (method) {
    case "initialize":
      return {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {}, resources: {}, prompts: {} },
        serverInfo: { name: "shelf", version: "1" },
      };
    case "tools/call":
      return TOOLS[params.name](params.arguments ?? {}, params._meta?.progressToken);
    case "resources/read":
      return read(params);
    case "prompts/get":
      return getPrompt(params);
    default:
      throw { code: -32601, message: "Method not found" };
  }
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

let buffered = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  buffered += chunk;
  const lines = buffered.split("\n");
  buffered = lines.pop();
  for (const line of lines) {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined) continue;
    answer(method, params).then(
      (result) => send({ id, result }),
      (error) => send({ id, error: { code: error.code ?? -32603, message: error.message } }),
    );
  }
});
