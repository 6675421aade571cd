// A scripted MCP server for both protocol eras. It has no imports, so that it starts as fast as Node does.
//   node server.mjs [--era legacy|modern] [--mute] [--banner] [--die-on-unknown] [--pages N] [--repeat-cursor]
//                   [--malformed] [--text-ids] [--stderr BYTES] [--crash] [--starts FILE] [--many N]
// `createServer` is the same server without a process, for tests over a linked pair; `serveHttp` serves it over HTTP.

const VERSION = "2026-07-28";
const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const META = "io.modelcontextprotocol/";
const OBJECT = { type: "object" };

export function createServer(sending, options = {}) {
  const send = options.textIds ? (message) => sending(withTextIds(message)) : sending;
  const era = options.era ?? "both";
  const pending = new Map();
  const running = new Map();
  let nextId = 1;
  let extra = false;
  let clientCapabilities = {};
  let calls = 0;

  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = `s${nextId++}`;
      pending.set(id, { resolve, reject });
      send({ jsonrpc: "2.0", id, method, params });
    });
  const notify = (method, params) => send({ jsonrpc: "2.0", method, ...(params ? { params } : {}) });
  const text = (value) => ({
    content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
  });

  const QUESTIONS = {
    ask: {
      method: "elicitation/create",
      params: {
        mode: "form",
        message: "Your name?",
        requestedSchema: { type: "object", properties: { name: { type: "string" } } },
      },
    },
    sample: {
      method: "sampling/createMessage",
      params: { messages: [{ role: "user", content: { type: "text", text: "Say hi" } }], maxTokens: 10 },
    },
    roots: { method: "roots/list", params: {} },
  };

  const question = (kind) => async (args, call) => {
    if (!call.isModern) return text({ answered: await ask(QUESTIONS[kind].method, QUESTIONS[kind].params) });
    const { inputResponses, requestState } = call.params;
    if (inputResponses) return text({ answered: inputResponses[kind], state: requestState });
    return {
      resultType: "input_required",
      inputRequests: { [kind]: QUESTIONS[kind] },
      requestState: `state-of-${kind}`,
    };
  };

  const tools = {
    echo: { run: (args) => text(String(args?.text ?? "")) },
    args: { run: (args) => text(args ?? null) },
    meta: { run: (args, call) => text({ meta: call.params._meta, headers: call.headers }) },
    pid: { run: () => text(String(globalThis.process?.pid)) },
    env: { run: () => text(globalThis.process?.env ?? {}) },
    calls: { run: () => text(String(calls)) },
    blocks: { run: () => BLOCKS },
    fail: { run: () => ({ content: [{ type: "text", text: "it went wrong" }], isError: true }) },
    refuse: {
      run: () =>
        Promise.reject({
          code: -32042,
          message: "visit the page first",
          data: { url: "https://example.test/" },
        }),
    },
    odd: { run: () => ({ content: "no array", structuredContent: { a: 1 }, _meta: { k: "v" } }) },
    nothing: { run: () => null },
    huge: { run: (args) => text("x".repeat(args.bytes)) },
    die: { run: () => (console.error("about to die"), globalThis.process.exit(3)) },
    silent: { run: () => new Promise(() => {}) },
    twice: {
      run: (args, call) => (
        send({ jsonrpc: "2.0", id: call.id, ...{ result: text("first") } }), text("second")
      ),
    },
    ask: { run: question("ask") },
    sample: { run: question("sample") },
    roots: { run: question("roots") },
    capabilities: {
      run: (args, call) =>
        text(call.isModern ? call.params._meta[`${META}clientCapabilities`] : clientCapabilities),
    },
    change: {
      run: () => {
        extra = !extra;
        notify("notifications/tools/list_changed");
        return text("changed");
      },
    },
    slow: {
      run: async (args, call) => {
        const until = Date.now() + (args.ms ?? 100);
        for (let step = 1; Date.now() < until; step++) {
          await new Promise((resolve) => setTimeout(resolve, args.stepMs ?? 10));
          if (call.cancelled) throw { code: -32800, message: "cancelled" };
          const token = call.params._meta?.progressToken;
          if (token !== undefined && !args.quiet)
            notify("notifications/progress", {
              progressToken: token,
              progress: step,
              total: 100,
              message: `step ${step}`,
            });
        }
        return text("done");
      },
    },
    cancelled: { run: () => text(JSON.stringify(cancelledIds)) },
  };
  const cancelledIds = [];

  const definition = (name) => ({
    name,
    description: `The ${name} tool.`,
    inputSchema: { ...OBJECT, properties: { text: { type: ["string", "null"] } } },
    "x-unknown": { kept: true },
    _meta: { "example/key": name },
  });

  function listTools(params) {
    const all = [...Object.keys(tools), ...(extra ? ["extra"] : [])].map(definition);
    for (let i = 0; i < (options.manyTools ?? 0); i++) all.push(definition(`tool-${i}`));
    if (options.malformed)
      all.splice(
        1,
        0,
        { name: "no-schema" },
        null,
        { inputSchema: OBJECT },
        { name: "echo", inputSchema: OBJECT },
      );
    if (options.repeatCursor) return { tools: all, nextCursor: "again" };
    if (!options.pages) return { tools: all };
    const from = Number(params?.cursor ?? 0);
    const next = from + options.pages;
    return { tools: all.slice(from, next), ...(next < all.length ? { nextCursor: String(next) } : {}) };
  }

  const capabilities = { tools: { listChanged: true }, logging: {} };
  const serverInfo = { name: "scripted", version: "1.0.0" };

  async function answer(message, headers) {
    const { method, params = {}, id } = message;
    const isModern = params._meta?.[`${META}protocolVersion`] === VERSION;
    switch (method) {
      case "server/discover":
        if (era === "legacy") throw { code: -32601, message: "Method not found" };
        return {
          resultType: "complete",
          supportedVersions: [VERSION],
          capabilities,
          instructions: "Be kind.",
          _meta: { [`${META}serverInfo`]: serverInfo },
        };
      case "initialize": {
        if (era === "modern")
          throw { code: -32022, message: "Unsupported protocol version", data: { supported: [VERSION] } };
        clientCapabilities = params.capabilities;
        const protocolVersion = LEGACY_VERSIONS.includes(params.protocolVersion)
          ? params.protocolVersion
          : LEGACY_VERSIONS[0];
        return { protocolVersion, capabilities, serverInfo, instructions: "Be kind." };
      }
      case "ping":
        return {};
      case "tools/list":
        return {
          ...(isModern ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {}),
          ...listTools(params),
        };
      case "tools/call": {
        const tool = tools[params.name];
        if (!tool) throw { code: -32602, message: `Unknown tool: ${params.name}` };
        calls++;
        const call = { id, params, isModern, headers, cancelled: false };
        running.set(id, call);
        try {
          const result = await tool.run(params.arguments, call);
          return isModern && result && !result.resultType ? { resultType: "complete", ...result } : result;
        } finally {
          running.delete(id);
        }
      }
      case "subscriptions/listen":
        notify("notifications/subscriptions/acknowledged", {
          _meta: { [`${META}subscriptionId`]: String(id) },
          notifications: params.notifications,
        });
        return new Promise(() => {});
      default:
        throw { code: -32601, message: "Method not found" };
    }
  }

  return function receive(message, headers) {
    if (message.method === undefined) {
      const waiting = pending.get(message.id);
      pending.delete(message.id);
      if (message.error) waiting?.reject({ code: message.error.code, message: message.error.message });
      else waiting?.resolve(message.result);
      return;
    }
    if (message.id === undefined) {
      if (message.method === "notifications/cancelled") {
        cancelledIds.push(message.params.requestId);
        const call = running.get(message.params.requestId);
        if (call) call.cancelled = true;
      }
      return;
    }
    if (options.mute) return;
    answer(message, headers).then(
      (result) => send({ jsonrpc: "2.0", id: message.id, result }),
      (error) =>
        send({
          jsonrpc: "2.0",
          id: message.id,
          error: {
            code: error.code ?? -32603,
            message: error.message ?? String(error),
            ...(error.data ? { data: error.data } : {}),
          },
        }),
    );
  };
}

/** Repeats the ids and tokens of the client as text. Our own ids are texts anyway. */
function withTextIds(message) {
  const { id, method, params } = message;
  if (method === undefined) return { ...message, id: String(id) };
  if (method !== "notifications/progress") return message;
  return { ...message, params: { ...params, progressToken: String(params.progressToken) } };
}

/** Every kind of block, one unknown kind, annotations, `_meta` and unknown members. */
export const BLOCKS = {
  content: [
    { type: "text", text: "plain" },
    {
      type: "text",
      text: "with extras",
      annotations: { audience: ["user"], priority: 0.5 },
      _meta: { a: 1 },
      "x-unknown": true,
    },
    { type: "image", data: "AA==", mimeType: "image/png", annotations: { audience: ["assistant"] } },
    { type: "audio", data: "AA==", mimeType: "audio/wav" },
    { type: "resource", resource: { uri: "test://a", text: "inside", mimeType: "text/plain" } },
    { type: "resource", resource: { uri: "test://b", blob: "AA==" } },
    { type: "resource_link", uri: "test://c", name: "c", description: "a link" },
    { type: "hologram", data: "from the future" },
    { text: "no type at all" },
    "not even an object",
  ],
  structuredContent: { nested: { list: [1, 2, 3] } },
  _meta: { "example/trace": "abc" },
  "x-unknown": { kept: true },
};

function serveStdio(options) {
  const { stdin, stdout } = process;
  const receive = createServer((message) => stdout.write(`${JSON.stringify(message)}\n`), options);
  let buffered = "";
  stdin.setEncoding("utf8");
  stdin.on("data", (chunk) => {
    buffered += chunk;
    const lines = buffered.split("\n");
    buffered = lines.pop();
    for (const line of lines) {
      if (line.trim() === "") continue;
      const message = JSON.parse(line);
      if (
        options.dieOnUnknown &&
        !["initialize", "notifications/initialized", "tools/list", "tools/call"].includes(message.method)
      ) {
        console.error(`unknown method ${message.method}`);
        process.exit(1);
      }
      receive(message);
    }
  });
  stdin.on("end", () => process.exit(0));
}

/**
 * Streamable HTTP, only as much as the tests need. Each POST has its own server. The answer is JSON, or a stream if another
 * message has to come first. Sessions of the legacy era last until `forgetSessions`.
 */
export async function serveHttp(options = {}) {
  const { createServer: createHttpServer } = await import("node:http");
  const sessions = new Set();
  const seen = [];
  const http = createHttpServer(async (request, response) => {
    seen.push(`${request.method} ${request.url}`);
    if (options.redirectTo) return response.writeHead(307, { location: options.redirectTo }).end();
    if (options.token && request.headers.authorization !== `Bearer ${options.token}`)
      return response.writeHead(401).end("no");
    const refusal = options.admit?.(request);
    if (refusal) return response.writeHead(refusal.status, refusal.headers).end(refusal.body ?? "no");
    if (request.method === "DELETE") return response.writeHead(200).end();
    if (request.method !== "POST") return response.writeHead(405).end();
    let body = "";
    for await (const chunk of request) body += chunk;
    const message = JSON.parse(body);
    const session = request.headers["mcp-session-id"];
    if (session && !sessions.has(session)) return response.writeHead(404).end("Session not found");
    if (message.id === undefined || message.method === undefined) return response.writeHead(202).end();
    const head = {};
    if (message.method === "initialize")
      sessions.add((head["mcp-session-id"] = `session-${sessions.size + 1}`));
    const receive = createServer((reply) => {
      const isAnswer = String(reply.id) === String(message.id) && reply.method === undefined;
      if (isAnswer && !response.headersSent)
        return response
          .writeHead(reply.error && options.errorStatus ? options.errorStatus : 200, {
            ...head,
            "content-type": "application/json",
          })
          .end(JSON.stringify(reply));
      if (!response.headersSent) response.writeHead(200, { ...head, "content-type": "text/event-stream" });
      response.write(`event: message\ndata: ${JSON.stringify(reply)}\n\n`);
      if (isAnswer) response.end();
    }, options);
    receive(message, request.headers);
  });
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    seen,
    forgetSessions: () => sessions.clear(),
    close: () => new Promise((resolve) => (http.closeAllConnections(), http.close(resolve))),
  };
}

const isMain = globalThis.process?.argv?.[1]?.endsWith("server.mjs");
if (isMain) {
  const argv = process.argv.slice(2);
  const has = (flag) => argv.includes(flag);
  const value = (flag) => (has(flag) ? argv[argv.indexOf(flag) + 1] : undefined);
  if (has("--starts")) (await import("node:fs")).appendFileSync(value("--starts"), `${process.pid}\n`);
  if (has("--crash")) {
    console.error("cannot find the configuration file");
    process.exit(7);
  }
  if (has("--banner")) process.stdout.write("Welcome to the server!\n\x1b[32mready\x1b[0m\n\n");
  if (has("--stderr"))
    for (let left = Number(value("--stderr")); left > 0; left -= 65536)
      process.stderr.write("e".repeat(Math.min(65535, left)) + "\n");
  serveStdio({
    era: value("--era") ?? "both",
    mute: has("--mute"),
    dieOnUnknown: has("--die-on-unknown"),
    pages: Number(value("--pages") ?? 0),
    manyTools: Number(value("--many") ?? 0),
    repeatCursor: has("--repeat-cursor"),
    malformed: has("--malformed"),
    textIds: has("--text-ids"),
  });
}
