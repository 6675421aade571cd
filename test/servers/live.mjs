// A scripted MCP server of either era that uses everything live: questions, progress, cancellation, changes of lists, updates of
// resources, log messages. It has no imports, so that it starts as fast as Node does.
//   node live.mjs [--era legacy|modern] [--name NAME] [--roots-at-start]
// `createLiveServer` is the same server without a process, for tests over a linked pair.

const VERSION = "2026-07-28";
const META = "io.modelcontextprotocol/";
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

export function createLiveServer(send, { era = "legacy", name = "live", rootsAtStart = false } = {}) {
  const waiting = new Map();
  const running = new Map();
  /** Modern subscriptions: the id of the request and its filter. */
  const listening = new Map();
  const subscribed = new Set();
  const extra = { tools: false, prompts: false, resources: false };
  const seen = { levels: [], subscribes: [], unsubscribes: [], rootsChanged: 0, cancelled: 0, answers: [] };
  let nextId = 1;
  let level;
  let version = 1;

  const notify = (method, params) => send({ jsonrpc: "2.0", method, ...(params ? { params } : {}) });
  const text = (value) => ({
    content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
  });
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = `q${nextId++}`;
      waiting.set(id, { resolve, reject });
      send({ jsonrpc: "2.0", id, method, params });
    });
  const askRoots = () =>
    ask("roots/list", {}).then(
      (answer) => void seen.answers.push(answer),
      (error) => void seen.answers.push({ error: error.message }),
    );

  /** A change of a list or a resource, to those who asked for it. */
  const report = (method, isWanted, params = {}) => {
    if (era === "legacy") return notify(method, params);
    for (const [id, filter] of listening)
      if (isWanted(filter)) notify(method, { ...params, _meta: { [`${META}subscriptionId`]: id } });
  };
  const updated = (uri) => {
    version++;
    if (era === "legacy" && !subscribed.has(uri)) return;
    report("notifications/resources/updated", (filter) => filter.resourceSubscriptions?.includes(uri), {
      uri,
    });
  };
  const log = (entry, call) => {
    const wanted = era === "legacy" ? (level ?? "debug") : call?.params._meta[`${META}logLevel`];
    if (wanted === undefined || LEVELS.indexOf(entry.level) < LEVELS.indexOf(wanted)) return;
    notify("notifications/message", { ...entry, logger: name });
  };

  const QUESTIONS = {
    elicit: {
      method: "elicitation/create",
      params: {
        mode: "form",
        message: "Your name?",
        requestedSchema: { type: "object", properties: { name: { type: "string" } } },
      },
    },
    visit: {
      method: "elicitation/create",
      params: {
        mode: "url",
        message: "Log in",
        url: "https://example.test/login",
        elicitationId: "visit-1",
      },
    },
    sample: {
      method: "sampling/createMessage",
      params: { messages: [{ role: "user", content: { type: "text", text: "Say hi" } }], maxTokens: 10 },
    },
    roots: { method: "roots/list", params: {} },
  };
  /** `uris`: resources that the messages for a model name, as links and embedded. */
  const asked = (kind, { uris }) => {
    const { method, params } = QUESTIONS[kind];
    if (!uris) return { method, params };
    const content = uris.flatMap((uri) => [
      { type: "resource_link", uri, name: uri },
      { type: "resource", resource: { uri, text: uri } },
    ]);
    // Clients accept resources only in the results of tools.
    const use = { type: "tool_use", id: "t", name: "look", input: {} };
    const messages = [
      { role: "assistant", content: use },
      { role: "user", content: { type: "tool_result", toolUseId: "t", content } },
    ];
    return { method, params: { ...params, messages } };
  };
  const question = (kind) => async (args, call) => {
    const { method, params } = asked(kind, args);
    if (era === "legacy") return text({ answer: await ask(method, params) });
    const { inputResponses } = call.params;
    if (inputResponses) return text({ answer: inputResponses[kind] });
    return {
      resultType: "input_required",
      inputRequests: { [kind]: { method, params } },
      requestState: kind,
    };
  };

  const TOOLS = {
    tool: (args) => text({ name, ...args }),
    elicit: question("elicit"),
    visit: question("visit"),
    visited: () => (notify("notifications/elicitation/complete", { elicitationId: "visit-1" }), text("told")),
    // Asks, and then no longer wants to know.
    withdraw: async ({ ms = 50 }) => {
      const requestId = `q${nextId}`;
      void ask(QUESTIONS.elicit.method, QUESTIONS.elicit.params).then(
        (answer) => void seen.answers.push(answer),
        () => {},
      );
      await new Promise((resolve) => setTimeout(resolve, ms));
      notify("notifications/cancelled", { requestId, reason: "too late" });
      return text("withdrawn");
    },
    sample: question("sample"),
    roots: question("roots"),
    progress: (_args, call) => {
      const progressToken = call.params._meta?.progressToken;
      for (const progress of [1, 2])
        if (progressToken !== undefined)
          notify("notifications/progress", {
            progressToken,
            progress,
            total: 2,
            message: `step ${progress}`,
          });
      return text("done");
    },
    cancel: (_args, call) =>
      new Promise((_, reject) => (call.cancel = () => reject({ message: "cancelled" }))),
    change: ({ list = "tools" }) => {
      extra[list] = !extra[list];
      report(`notifications/${list}/list_changed`, (filter) => filter[`${list}ListChanged`]);
      return text("changed");
    },
    update: ({ uri }) => (updated(uri), text("updated")),
    log: (args, call) => {
      for (const each of args.levels ?? ["debug", "info", "error"])
        log({ level: each, data: args.data }, call);
      return text("logged");
    },
    // After the answer, so that it belongs to no call.
    log_later: ({ data, ms = 20 }) => (setTimeout(() => log({ level: "error", data }), ms), text("soon")),
    ask_later: ({ ms = 20, uris }) => {
      const { method, params } = asked("sample", { uris });
      setTimeout(() => (uris ? void ask(method, params).catch(() => {}) : askRoots()), ms);
      return text("soon");
    },
    seen: () => text({ ...seen, level, subscribed: [...subscribed], listening: [...listening.values()] }),
    pid: () => text(String(globalThis.process?.pid)),
    die: () => globalThis.process.exit(3),
  };
  const items = (list, all, more) => [...all, ...(extra[list] ? [more] : [])];
  const tool = (each) => ({ name: each, description: `The tool ${each}.`, inputSchema: { type: "object" } });
  const read = ({ uri }) => {
    if (!uri.startsWith("live://")) throw { code: -32002, message: `there is no ${uri}` };
    return { contents: [{ uri, text: `${name} ${version}` }] };
  };

  const capabilities = {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    logging: {},
  };
  const about = { capabilities, instructions: `Use ${name} with care. It is alive.` };
  const serverInfo = { name, version: "1.0.0" };
  const legacy = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, serverInfo, ...about }),
    ping: () => ({}),
    "logging/setLevel": (params) => (seen.levels.push((level = params.level)), {}),
    "resources/subscribe": ({ uri }) => (seen.subscribes.push(uri), subscribed.add(uri), {}),
    "resources/unsubscribe": ({ uri }) => (seen.unsubscribes.push(uri), subscribed.delete(uri), {}),
  };
  const modern = {
    "server/discover": () => ({
      supportedVersions: [VERSION],
      ...about,
      _meta: { [`${META}serverInfo`]: serverInfo },
    }),
    "subscriptions/listen": ({ notifications }, id) => {
      listening.set(id, notifications);
      const _meta = { [`${META}subscriptionId`]: id };
      notify("notifications/subscriptions/acknowledged", { notifications, _meta });
      running.set(id, { cancel: () => listening.delete(id) });
      return new Promise(() => {});
    },
  };
  const both = {
    "tools/list": () => ({ tools: items("tools", Object.keys(TOOLS).map(tool), tool("extra")) }),
    "prompts/list": () => ({ prompts: items("prompts", [{ name: "greet" }], { name: "extra" }) }),
    "prompts/get": (params) => ({
      messages: [{ role: "user", content: { type: "text", text: `${name} ${params.name}` } }],
    }),
    "resources/list": () => ({
      resources: items("resources", [{ uri: "live://clock", name: "clock" }], {
        uri: "live://extra",
        name: "extra",
      }),
    }),
    "resources/templates/list": () => ({ resourceTemplates: [] }),
    "resources/read": read,
    "tools/call": async (params, id) => {
      const run = TOOLS[params.name];
      if (!run) throw { code: -32602, message: `Unknown tool: ${params.name}` };
      const call = { params, cancel: () => {} };
      running.set(id, call);
      try {
        return await run(params.arguments ?? {}, call);
      } finally {
        running.delete(id);
      }
    },
  };
  const answers = { ...both, ...(era === "legacy" ? legacy : modern) };
  /** What the modern era adds to each result. */
  const complete = (result) =>
    era === "legacy" || result.resultType
      ? result
      : { resultType: "complete", ttlMs: 0, cacheScope: "private", ...result };

  const NOTICES = {
    "notifications/initialized": () => rootsAtStart && askRoots(),
    "notifications/roots/list_changed": () => (seen.rootsChanged++, askRoots()),
    "notifications/cancelled": ({ requestId }) => {
      if (!running.has(requestId)) return;
      if (!listening.has(requestId)) seen.cancelled++;
      running.get(requestId).cancel();
    },
  };

  return async function receive({ id, method, params = {}, result, error }) {
    if (method === undefined) {
      const { resolve, reject } = waiting.get(id) ?? {};
      waiting.delete(id);
      return error ? reject?.(error) : resolve?.(result);
    }
    if (id === undefined) return NOTICES[method]?.(params);
    try {
      const answer = answers[method];
      if (!answer) throw { code: -32601, message: "Method not found" };
      send({ jsonrpc: "2.0", id, result: complete(await answer(params, id)) });
    } catch (thrown) {
      const { code = -32603, message = String(thrown) } = thrown;
      send({ jsonrpc: "2.0", id, error: { code, message } });
    }
  };
}

if (globalThis.process?.argv?.[1]?.endsWith("live.mjs")) {
  const argv = process.argv.slice(2);
  const value = (flag, otherwise) => (argv.includes(flag) ? argv[argv.indexOf(flag) + 1] : otherwise);
  const options = {
    era: value("--era", "legacy"),
    name: value("--name", "live"),
    rootsAtStart: argv.includes("--roots-at-start"),
  };
  const receive = createLiveServer(
    (message) => process.stdout.write(`${JSON.stringify(message)}\n`),
    options,
  );
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.trim() !== "") void receive(JSON.parse(line));
  });
  process.stdin.on("end", () => process.exit(0));
}
