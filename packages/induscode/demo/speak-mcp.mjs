// A minimal MCP server over standard input and output. It uses no library, so it starts as fast as node itself.

const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** Serves `tools` ({ name: { description, inputSchema, annotations?, run(args, progress) } }) until the input ends. */
export function speakMcp(serverInfo, tools) {
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

  const methods = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion: VERSIONS.includes(protocolVersion) ? protocolVersion : VERSIONS[0],
      capabilities: { tools: {} },
      serverInfo,
    }),
    ping: () => ({}),
    "tools/list": () => ({
      tools: Object.entries(tools).map(([name, { run: _run, ...definition }]) => ({ name, ...definition })),
    }),
    "tools/call": async ({ name, arguments: args = {}, _meta = {} }) => {
      const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
      if (!tool) throw { code: -32602, message: `Unknown tool: ${name}` };
      const { progressToken } = _meta;
      const progress = (progress, total, message) => {
        const params = { progressToken, progress, total, message };
        if (progressToken !== undefined) send({ method: "notifications/progress", params });
      };
      try {
        return { content: [{ type: "text", text: await tool.run(args, progress) }] };
      } catch (thrown) {
        return { content: [{ type: "text", text: thrown.message }], isError: true };
      }
    },
  };

  const receive = async ({ id, method, params = {} }) => {
    if (id === undefined) return;
    try {
      if (!Object.hasOwn(methods, method)) throw { code: -32601, message: `Method not found: ${method}` };
      send({ id, result: await methods[method](params) });
    } catch (error) {
      send({ id, error: { code: error.code ?? -32603, message: error.message } });
    }
  };

  let pending = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    const lines = (pending + chunk).split("\n");
    pending = lines.pop();
    for (const line of lines) if (line.trim() !== "") void receive(JSON.parse(line));
  });
  process.stdin.on("end", () => process.exit(0));
}
