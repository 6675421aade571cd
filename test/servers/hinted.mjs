// A scripted MCP server of either era that states how long its answers may be used, and records what it is asked. It has no
// imports, so that it starts as fast as Node does.
//   node hinted.mjs JSON
// JSON: the options of `createHintedServer`, which is the same server without a process, for tests over a linked pair.

const VERSION = "2026-07-28";
const META = "io.modelcontextprotocol/";

export function createHintedServer(send, options = {}) {
  const { era = "modern", announces = true, hint = { ttlMs: 0, cacheScope: "private" }, pages } = options;
  const { before = async () => {} } = options;
  /** The method and `_meta` of each request, except those for this record. */
  const asked = [];
  const listening = new Map();
  let grown = 0;

  const notify = (method, params) => send({ jsonrpc: "2.0", method, ...(params ? { params } : {}) });
  const changed = (list) => {
    const method = `notifications/${list}/list_changed`;
    if (era === "legacy") return notify(method);
    for (const [id, filter] of listening)
      if (filter[`${list}ListChanged`]) notify(method, { _meta: { [`${META}subscriptionId`]: id } });
  };
  const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
  const tool = (name) => ({ name, description: `The tool ${name}.`, inputSchema: { type: "object" } });
  /** One item, and one more for each time that the lists have grown. */
  const items = (make) => Array.from({ length: 1 + grown }, (_, at) => make(`item${at}`));

  const TOOLS = {
    item0: () => text("called"),
    // `silently`: nobody is told.
    grow: ({ silently = false }) => {
      grown += 1;
      if (announces && !silently) for (const list of ["tools", "prompts", "resources"]) changed(list);
      return text("grown");
    },
    asked: () => text(asked),
    listening: () => text(listening.size),
  };
  const read = ({ uri, inputResponses }) => {
    const contents = [{ uri, text: `read ${uri}` }];
    if (uri !== "hinted://asks" || inputResponses) return { contents, ...stated() };
    const params = { mode: "form", message: "Sure?", requestedSchema: { type: "object", properties: {} } };
    return {
      resultType: "input_required",
      inputRequests: { sure: { method: "elicitation/create", params } },
      requestState: "asked",
    };
  };
  const stated = () => (era === "modern" ? hint : {});
  /** With `pages`, the hint of each page. */
  const list = (member, make, { cursor }) => {
    const all = items(make);
    if (!pages || era === "legacy") return { [member]: all, ...stated() };
    const at = Number(cursor ?? 0);
    const isLast = at === pages.length - 1;
    const page = isLast ? all : [make(`page${at}`)];
    return { [member]: page, ...pages[at], ...(isLast ? {} : { nextCursor: String(at + 1) }) };
  };

  const listChanged = announces ? { listChanged: true } : {};
  const about = {
    capabilities: { tools: listChanged, prompts: listChanged, resources: listChanged, completions: {} },
    instructions: "Ask again when it is time.",
  };
  const serverInfo = { name: "hinted", version: "1.0.0" };
  const ANSWERS = {
    "tools/list": (params) => {
      const { tools, ...rest } = list("tools", tool, params);
      return { tools: [...tools, ...["grow", "asked", "listening"].map(tool)], ...rest };
    },
    "prompts/list": (params) => list("prompts", (name) => ({ name }), params),
    "resources/list": (params) => list("resources", (name) => ({ uri: `hinted://${name}`, name }), params),
    "resources/templates/list": (params) =>
      list("resourceTemplates", (name) => ({ uriTemplate: `hinted://${name}/{x}`, name }), params),
    "resources/read": read,
    "prompts/get": () => ({ messages: [{ role: "user", content: { type: "text", text: "hi" } }] }),
    "completion/complete": () => ({ completion: { values: ["a"] } }),
    "tools/call": ({ name, arguments: args = {} }) => {
      if (!TOOLS[name]) throw { code: -32602, message: `Unknown tool: ${name}` };
      return TOOLS[name](args);
    },
    ping: () => ({}),
    ...(era === "legacy"
      ? { initialize: ({ protocolVersion }) => ({ protocolVersion, serverInfo, ...about }) }
      : {
          "server/discover": () => ({
            supportedVersions: [VERSION],
            ...about,
            ...stated(),
            _meta: { [`${META}serverInfo`]: serverInfo },
          }),
          "subscriptions/listen": ({ notifications }, id) => {
            listening.set(id, notifications);
            const _meta = { [`${META}subscriptionId`]: id };
            notify("notifications/subscriptions/acknowledged", { notifications, _meta });
            return new Promise(() => {});
          },
        }),
  };

  return async function receive({ id, method, params = {} }) {
    if (id === undefined || method === undefined) return;
    if (params.name !== "asked") asked.push({ method, meta: params._meta ?? {} });
    try {
      const answer = ANSWERS[method];
      if (!answer) throw { code: -32601, message: "Method not found" };
      const result = await answer(params, id);
      await before(method);
      send({ jsonrpc: "2.0", id, result: era === "modern" ? { resultType: "complete", ...result } : result });
    } catch (thrown) {
      const { code = -32603, message = String(thrown) } = thrown;
      send({ jsonrpc: "2.0", id, error: { code, message } });
    }
  };
}

if (globalThis.process?.argv?.[1]?.endsWith("hinted.mjs")) {
  const receive = createHintedServer(
    (message) => process.stdout.write(`${JSON.stringify(message)}\n`),
    JSON.parse(process.argv[2] ?? "{}"),
  );
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.trim() !== "") void receive(JSON.parse(line));
  });
  process.stdin.on("end", () => process.exit(0));
}
