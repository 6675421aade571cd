// A scripted modern MCP server that lists other things for clients that declare MCP Apps. It has no imports at its top, so that it
// starts as fast as Node does.
//   node varied.mjs JSON          over stdio
//   node varied.mjs JSON --http   at a free port, whose URL is its first line
// JSON: `declares`: whether it declares the extension itself (default true); `skills`: whether it has skills (default
// false); `same`: whether all clients get the same tools nevertheless (default false).

const VERSION = "2026-07-28";
const META = "io.modelcontextprotocol/";
const UI = "io.modelcontextprotocol/ui";
const PAGE = "ui://varied/page.html";

export function createVariedServer({ declares = true, skills = false, same = false } = {}) {
  /** The lists that were requested, each with whether the client shows apps. */
  const asked = [];
  /** Each with the function that sends to its client. */
  const listening = new Map();
  let changes = 0;

  const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
  const tool = (name, description, ui) => ({
    name,
    description,
    inputSchema: { type: "object" },
    ...(ui && { _meta: { ui: { resourceUri: PAGE } } }),
  });
  const showsApps = ({ _meta = {} }) => _meta[`${META}clientCapabilities`]?.extensions?.[UI] !== undefined;
  const extras = (ui) => Array.from({ length: changes }, (_, at) => tool(`extra${at}`, "Came later.", ui));
  const sameTools = () => [...extras(false), tool("change", "Changes what all clients get.")];
  const variedTools = (apps) => [
    tool("show", apps ? "Shows it as an app." : "Shows it as text.", apps),
    ...(apps
      ? [tool("zoom", changes === 0 ? "Zooms." : "Zooms and ignores what was said before.", true)]
      : []),
    ...(apps ? extras(true) : []),
    tool("change", "Changes what clients with apps get."),
    tool("asked", "Tells what was asked."),
  ];
  const toolsFor = same ? sameTools : variedTools;
  const listChanged = { listChanged: true };
  const capabilities = {
    tools: listChanged,
    prompts: listChanged,
    resources: listChanged,
    ...(declares && { extensions: { [UI]: {}, ...(skills && { "io.modelcontextprotocol/skills": {} }) } }),
  };
  const hint = { ttlMs: 60_000, cacheScope: "public" };
  const lists = {
    "tools/list": (apps) => ({ tools: toolsFor(apps) }),
    "prompts/list": (apps) => ({ prompts: ["text", ...(apps ? ["picture"] : [])].map((name) => ({ name })) }),
    "resources/list": (apps) => ({
      resources: ["varied://text", ...(apps ? ["varied://picture"] : [])].map((uri) => ({ uri, name: uri })),
    }),
    "resources/templates/list": (apps) => ({
      resourceTemplates: ["varied://{text}", ...(apps ? ["varied://picture/{size}"] : [])].map(
        (uriTemplate) => ({
          uriTemplate,
          name: uriTemplate,
        }),
      ),
    }),
  };
  const skill = (name) => ({
    uri: `skill://${name}/SKILL.md`,
    frontmatter: { name, description: `How to ${name}` },
    resources: "dynamic",
  });
  if (skills)
    lists["skills/list"] = (apps) => ({ skills: [skill("write"), ...(apps ? [skill("draw")] : [])] });
  const call = (name, apps) => {
    if (name === "asked") return text(asked);
    if (name !== "change") {
      // What a client was not offered, it does not have.
      if (!toolsFor(apps).some((each) => each.name === name))
        throw { code: -32602, message: `Unknown tool: ${name}` };
      return text({ name, apps });
    }
    changes += 1;
    for (const [id, notify] of listening)
      for (const list of ["tools", "prompts", "resources"])
        notify({
          jsonrpc: "2.0",
          method: `notifications/${list}/list_changed`,
          params: { _meta: { [`${META}subscriptionId`]: id } },
        });
    return text("changed");
  };
  const answer = (method, params, { id, send }) => {
    const apps = showsApps(params);
    if (lists[method]) {
      asked.push({ method, apps });
      return { ...lists[method](apps), ...hint };
    }
    switch (method) {
      case "server/discover": {
        const serverInfo = { name: "varied", version: "1.0.0" };
        return {
          supportedVersions: [VERSION],
          capabilities,
          ...hint,
          _meta: { [`${META}serverInfo`]: serverInfo },
        };
      }
      case "subscriptions/listen": {
        const { notifications } = params;
        listening.set(id, send);
        const _meta = { [`${META}subscriptionId`]: id };
        send({
          jsonrpc: "2.0",
          method: "notifications/subscriptions/acknowledged",
          params: { notifications, _meta },
        });
        return undefined;
      }
      case "tools/call":
        return call(params.name, apps);
      case "prompts/get":
        return { messages: [{ role: "user", content: { type: "text", text: params.name } }] };
      case "resources/read":
        return { contents: [{ uri: params.uri, text: `read ${params.uri}` }], ...hint };
      default:
        throw { code: -32601, message: "Method not found" };
    }
  };

  /** Answers a request by `send`, which also gets the notifications of a subscription. */
  return function receive({ id, method, params = {} }, send) {
    if (id === undefined || method === undefined) return;
    try {
      const result = answer(method, params, { id, send });
      if (result) send({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } });
    } catch (thrown) {
      const { code = -32603, message = String(thrown) } = thrown;
      send({ jsonrpc: "2.0", id, error: { code, message } });
    }
  };
}

async function serveHttp(receive) {
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const message = JSON.parse(body);
      if (message.id === undefined) return response.writeHead(202).end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      receive(message, (sent) => {
        response.write(`event: message\ndata: ${JSON.stringify(sent)}\n\n`);
        if (sent.id !== undefined) response.end();
      });
    });
  });
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
}

if (globalThis.process?.argv?.[1]?.endsWith("varied.mjs")) {
  const receive = createVariedServer(JSON.parse(process.argv[2] ?? "{}"));
  if (process.argv.includes("--http")) void serveHttp(receive);
  else {
    const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
    let rest = "";
    process.stdin.setEncoding("utf8").on("data", (chunk) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop();
      for (const line of lines) if (line.trim() !== "") receive(JSON.parse(line), send);
    });
  }
  // Whoever started it is gone.
  process.stdin.on("end", () => process.exit(0)).resume();
}
