// Every extension in one server: Apps, Tasks of both generations, Skills, cache hints, trace context, and one extension that nobody knows.
//   node extensions.mjs stdio --era legacy|modern
//   node extensions.mjs http                       modern; prints its URL on one line
// Its answers are the same in each run, except for the ids and times of tasks.
import { createHash, randomUUID } from "node:crypto";

const VERSION = "2026-07-28";
const LEGACY_VERSION = "2025-11-25";
const META = "io.modelcontextprotocol/";
const UI = `${META}ui`;
const TASKS = `${META}tasks`;
const SKILLS = `${META}skills`;
const ECHO = "example.test/echo";
const RELATED = `${META}related-task`;
const isHttp = process.argv[2] === "http";
const isModern = isHttp || process.argv[process.argv.indexOf("--era") + 1] === "modern";

const INFO = { name: "extensions", title: "Every extension", version: "1.0.0" };
const EXTENSIONS = { [UI]: {}, [SKILLS]: { directoryRead: true }, [ECHO]: { level: 2 } };
const CAPABILITIES = {
  tools: {},
  resources: {},
  prompts: {},
  ...(isModern
    ? { extensions: { ...EXTENSIONS, [TASKS]: {} } }
    : { extensions: EXTENSIONS, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
};
const ABOUT = { capabilities: CAPABILITIES, instructions: "Draw a `chart` first." };

const HOUR_MS = 3_600_000;
/** How long each answer may be used. Of a legacy server only the extension for skills has it. */
const HINTS = {
  "server/discover": { ttlMs: HOUR_MS, cacheScope: "public" },
  "tools/list": { ttlMs: HOUR_MS, cacheScope: "public" },
  "prompts/list": { ttlMs: HOUR_MS, cacheScope: "public" },
  "resources/list": { ttlMs: HOUR_MS / 2, cacheScope: "private" },
  "resources/templates/list": { ttlMs: HOUR_MS, cacheScope: "public" },
  "resources/read": { ttlMs: HOUR_MS, cacheScope: "public" },
  "skills/list": { ttlMs: HOUR_MS, cacheScope: "public" },
  "skills/get": { ttlMs: HOUR_MS, cacheScope: "private" },
};

// ---- Apps

const APP = "text/html;profile=mcp-app";
const PAGES = {
  "ui://charts/view.html": "<h1>A chart 東京</h1>",
  "ui://charts/unlisted.html": "<h1>Only a tool names it</h1>",
  "ui://charts/result/7.html": "<h1>Only a result names it</h1>",
};
const PAGE_META = {
  ui: {
    csp: { connectDomains: ["https://api.example.test"], resourceDomains: ["https://cdn.example.test"] },
    permissions: { clipboardWrite: {} },
    prefersBorder: true,
  },
};
const LISTED_PAGE = {
  uri: "ui://charts/view.html",
  name: "chart",
  mimeType: APP,
  _meta: { ui: { prefersBorder: false } },
};
const uiMeta = (resourceUri, visibility) => ({
  ui: { resourceUri, ...(visibility ? { visibility } : {}) },
  "ui/resourceUri": resourceUri,
});

// ---- Skills

const skillText = (name, about) =>
  `---\nname: ${name}\ndescription: ${about}\n---\n\nSee [keys](references/keys.md). 東京\n`;
const FILES = {
  "skill://atlas/route-map/SKILL.md": skillText("route-map", "Draw a route"),
  "skill://atlas/route-map/references/keys.md": "Keys have names.\n",
  "skill://atlas/route-map/assets/dot.bin": Buffer.from([0, 255, 13, 10, 128]),
  "skill://atlas/legend/SKILL.md": skillText("legend", "Explain a map"),
  "skill://atlas/unlisted/SKILL.md": skillText("unlisted", "In no list"),
};
const digestOf = (content) => `sha256:${createHash("sha256").update(content).digest("hex")}`;
const entryOf = (name, description, resources) => ({
  uri: `skill://atlas/${name}/SKILL.md`,
  frontmatter: { name, description },
  resources:
    resources ??
    Object.entries(FILES)
      .filter(([uri]) => uri.startsWith(`skill://atlas/${name}/`))
      .map(([uri, content]) => ({ uri, digest: digestOf(content), size: Buffer.byteLength(content) })),
});
const ENTRIES = [
  entryOf("route-map", "Draw a route"),
  entryOf("legend", "Explain a map", "dynamic"),
  entryOf("unlisted", "In no list"),
];
/** Two pages; the third skill is in no list. */
const listSkills = ({ cursor }) =>
  cursor === "2" ? { skills: [ENTRIES[1]] } : { skills: [ENTRIES[0]], nextCursor: "2" };
function getSkill({ uri }) {
  const skill = ENTRIES.find((entry) => entry.uri === uri);
  if (!skill) throw { code: -32602, message: `Unknown skill: ${uri}`, data: { uri } };
  return { skill };
}
function readFolder({ uri }) {
  const start = uri.endsWith("/") ? uri : `${uri}/`;
  const below = Object.keys(FILES).filter((file) => file.startsWith(start));
  if (below.length === 0) throw { code: -32602, message: `Not a folder: ${uri}`, data: { uri } };
  const names = [...new Set(below.map((file) => file.slice(start.length).split("/")[0]))];
  const resources = names.map((name) =>
    below.includes(`${start}${name}`)
      ? { uri: `${start}${name}`, name, mimeType: "text/plain" }
      : { uri: `${start}${name}`, name, mimeType: "inode/directory" },
  );
  return { resources };
}

// ---- Tools

const text = (value) => ({
  content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
});
const structured = (value) => ({ ...text(value), structuredContent: value });
const trace = (meta = {}) =>
  Object.fromEntries(["traceparent", "tracestate", "baggage"].map((key) => [key, meta[key] ?? null]));
const missing = (id) => ({
  code: -32021,
  message: "the client must declare an extension",
  data: { requiredCapabilities: { extensions: { [id]: {} } } },
});
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const form = (message) => ({
  method: "elicitation/create",
  params: {
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  },
});
const SAMPLE = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "Say hi" } }], maxTokens: 10 },
};

let stopped = 0;

/** `task`: whether the call may or must go on as a task. `run(args, call)`: `call` has `meta`, `declared`, `signal` and `ask`. */
const TOOLS = {
  declared: { run: (_args, { declared }) => ({ content: [], structuredContent: { extensions: declared } }) },
  trace: { run: (_args, { meta }) => ({ content: [], structuredContent: trace(meta) }) },
  needs_ui: {
    run: (_args, { declared }) => {
      if (!declared[UI]) throw missing(UI);
      return text("the client shows pages");
    },
  },
  chart: {
    // Servers register other tools for clients that show pages.
    define: (declared) =>
      declared[UI]
        ? { description: "Draws a chart.", _meta: uiMeta("ui://charts/view.html", ["model", "app"]) }
        : { description: "Draws a chart as text." },
    run: (_args, { declared }) => ({
      ...structured({ points: [1, 2, 3] }),
      ...(declared[UI] ? { _meta: { ...uiMeta("ui://charts/result/7.html"), kept: 1 } } : {}),
    }),
  },
  zoom: {
    define: () => ({ _meta: uiMeta("ui://charts/unlisted.html", ["app"]) }),
    run: ({ by = 1 }) => structured({ zoomed: by }),
  },
  job: {
    task: "optional",
    run: async ({ text: given = "" }) => {
      await pause(60);
      return { ...structured({ done: given }), _meta: { "example.test/job": { deep: [null, 1.5] } } };
    },
  },
  job_required: { task: "required", run: async () => (await pause(30), text("done")) },
  job_fails: { task: "required", run: async () => ({ ...text("it went wrong"), isError: true }) },
  job_breaks: {
    task: "required",
    run: async () => {
      await pause(20);
      throw { code: -32050, message: "it broke: 東京", data: { retry: false } };
    },
  },
  job_asks: {
    task: "required",
    run: async (_args, { ask }) => {
      const [name] = await ask(form("Your name?"));
      const [said] = await ask(SAMPLE);
      const [roots] = await ask({ method: "roots/list", params: {} });
      return structured({ name, said, roots });
    },
  },
  job_asks_two: {
    task: "required",
    run: async (_args, { ask }) => structured({ both: await ask(form("First?"), form("Second?")) }),
  },
  job_chart: {
    task: "required",
    run: async () => ({
      content: [{ type: "resource_link", uri: "ui://charts/result/7.html", name: "page", mimeType: APP }],
      _meta: uiMeta("ui://charts/result/7.html"),
    }),
  },
  job_hangs: {
    task: "required",
    run: (_args, { signal }) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => {
          stopped += 1;
          resolve(text("stopped"));
        }),
      ),
  },
  stopped: { run: () => structured({ stopped }) },
};

const definitions = (declared) =>
  Object.entries(TOOLS).map(([name, { define, task }]) => ({
    name,
    inputSchema: { type: "object" },
    ...define?.(declared),
    ...(task && !isModern ? { execution: { taskSupport: task } } : {}),
  }));

function callTool(params, link) {
  const tool = TOOLS[params.name];
  if (!tool) throw { code: -32602, message: `Unknown tool: ${params.name}` };
  const { declared } = link;
  const wantsTask = isModern ? declared[TASKS] !== undefined : params.task !== undefined;
  if (tool.task && wantsTask) return created(startTask(tool, params, link));
  if (tool.task === "required")
    throw isModern ? missing(TASKS) : { code: -32601, message: "Call this tool as a task" };
  const { signal } = new AbortController();
  return tool.run(params.arguments ?? {}, { meta: params._meta, declared, signal });
}

// ---- Tasks

const tasks = new Map();
/** The filters of open `subscriptions/listen` requests with how to reach them. */
const listening = new Map();
const hasEnded = ({ status }) => ["completed", "failed", "cancelled"].includes(status);

function startTask(tool, params, link) {
  const now = new Date().toISOString();
  const abort = new AbortController();
  const record = {
    taskId: randomUUID(),
    status: "working",
    statusMessage: "at work",
    createdAt: now,
    lastUpdatedAt: now,
    ttl: isModern ? HOUR_MS : (params.task.ttl ?? HOUR_MS),
    questions: new Map(),
    asked: 0,
    abort,
    link,
    watchers: new Set(),
  };
  tasks.set(record.taskId, record);
  /** Asks all of them at once. */
  const ask = (...questions) => {
    const answers = questions.map(
      (question) =>
        new Promise((resolve) => record.questions.set(`q${++record.asked}`, { question, resolve })),
    );
    update(record, { status: "input_required" });
    return Promise.all(answers);
  };
  const { declared } = link;
  Promise.resolve()
    .then(() => tool.run(params.arguments ?? {}, { meta: params._meta, declared, signal: abort.signal, ask }))
    .then(
      (result) => {
        // Of legacy tasks, those whose result is an error have failed.
        const status = result.isError && !isModern ? "failed" : "completed";
        if (!hasEnded(record)) update(record, { status, result });
      },
      (error) => {
        if (!hasEnded(record)) update(record, { status: "failed", error });
      },
    );
  return record;
}

function update(record, changes) {
  Object.assign(record, changes, { lastUpdatedAt: new Date().toISOString() });
  for (const watcher of [...record.watchers]) watcher();
  if (!isModern) return record.link.notify("notifications/tasks/status", shownTask(record));
  for (const [id, { filter, notify }] of listening)
    if (filter.taskIds?.includes(record.taskId))
      notify("notifications/tasks", { ...detailed(record), _meta: { [`${META}subscriptionId`]: id } });
}

function shownTask({ taskId, status, statusMessage, createdAt, lastUpdatedAt, ttl }) {
  const times = isModern ? { ttlMs: ttl, pollIntervalMs: 20 } : { ttl, pollInterval: 20 };
  return { taskId, status, statusMessage, createdAt, lastUpdatedAt, ...times };
}

function created(record) {
  return isModern ? { resultType: "task", ...shownTask(record) } : { task: shownTask(record) };
}

function detailed(record) {
  const { status, questions, result, error } = record;
  const open = [...questions].map(([key, { question }]) => [key, question]);
  return {
    ...shownTask(record),
    ...(status === "input_required" && { inputRequests: Object.fromEntries(open) }),
    ...(status === "completed" && { result: { resultType: "complete", ...result } }),
    ...(status === "failed" && { error }),
  };
}

function answerQuestion(record, key, answer) {
  record.questions.get(key)?.resolve(answer);
  record.questions.delete(key);
  if (record.questions.size === 0 && record.status === "input_required")
    update(record, { status: "working" });
}

function taskOf({ taskId }) {
  const record = tasks.get(taskId);
  if (!record) throw { code: -32602, message: "Unknown task" };
  return record;
}

/** Waits for the end of a task. Its questions are asked in the meantime. */
async function resultOf(record, link) {
  const sent = new Set();
  for (;;) {
    if (hasEnded(record)) break;
    for (const [key, { question }] of record.questions) {
      if (sent.has(key)) continue;
      sent.add(key);
      const params = { ...question.params, _meta: { [RELATED]: { taskId: record.taskId } } };
      void link.ask({ ...question, params }).then((answer) => answerQuestion(record, key, answer));
    }
    await new Promise((resolve) => {
      const wake = () => (record.watchers.delete(wake), resolve());
      record.watchers.add(wake);
    });
  }
  if (record.error) throw record.error;
  if (record.status === "cancelled") throw { code: -32602, message: "The task was cancelled" };
  const { _meta, ...result } = record.result;
  return { ...result, _meta: { ..._meta, [RELATED]: { taskId: record.taskId } } };
}

function cancelTask(record) {
  if (hasEnded(record)) {
    if (!isModern) throw { code: -32602, message: "The task has ended" };
    return {};
  }
  record.abort.abort();
  update(record, { status: "cancelled" });
  return isModern ? {} : shownTask(record);
}

const TASK_METHODS = isModern
  ? {
      "tasks/get": (params) => detailed(taskOf(params)),
      "tasks/update": (params) => {
        const record = taskOf(params);
        for (const [key, answer] of Object.entries(params.inputResponses ?? {}))
          answerQuestion(record, key, answer);
        return {};
      },
      "tasks/cancel": (params) => cancelTask(taskOf(params)),
    }
  : {
      "tasks/get": (params) => shownTask(taskOf(params)),
      "tasks/list": () => ({ tasks: [...tasks.values()].map(shownTask) }),
      "tasks/result": (params, link) => resultOf(taskOf(params), link),
      "tasks/cancel": (params) => cancelTask(taskOf(params)),
    };

// ---- Requests

function readResource({ uri, _meta }) {
  const page = PAGES[uri];
  const file = FILES[uri];
  if (page !== undefined) return { contents: [{ uri, mimeType: APP, text: page, _meta: PAGE_META }] };
  if (file !== undefined)
    return {
      contents: [
        typeof file === "string"
          ? { uri, mimeType: "text/markdown", text: file }
          : { uri, mimeType: "application/octet-stream", blob: file.toString("base64") },
      ],
    };
  if (uri === "ext://trace")
    return { contents: Object.values(trace(_meta)).map((value) => ({ uri, text: String(value) })) };
  throw { code: isModern ? -32602 : -32002, message: "Resource not found", data: { uri } };
}

const METHODS = {
  "tools/list": (_params, { declared }) => ({ tools: definitions(declared) }),
  "tools/call": callTool,
  "prompts/list": () => ({ prompts: [{ name: "traced" }] }),
  "prompts/get": ({ _meta }) => ({
    messages: Object.values(trace(_meta)).map((value) => ({
      role: "user",
      content: { type: "text", text: String(value) },
    })),
  }),
  "resources/list": () => ({ resources: [LISTED_PAGE, { uri: "ext://trace", name: "trace" }] }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": readResource,
  "skills/list": listSkills,
  "skills/get": getSkill,
  "resources/directory/read": readFolder,
  [ECHO]: ({ text: given }) => ({ echoed: given ?? null }),
  ...TASK_METHODS,
};

async function answer(id, method, params, link) {
  const speaksModern = params._meta?.[`${META}protocolVersion`] === VERSION;
  if (isModern && !speaksModern)
    throw { code: -32022, message: "Unsupported protocol version", data: { supported: [VERSION] } };
  if (!isModern && (speaksModern || method === "server/discover"))
    throw { code: -32601, message: "Method not found" };
  if (method === "server/discover") return { supportedVersions: [VERSION], ...ABOUT };
  if (method === "initialize" && !isModern) {
    link.declared = params.capabilities?.extensions ?? {};
    return { protocolVersion: LEGACY_VERSION, serverInfo: INFO, ...ABOUT };
  }
  if (method === "ping" && !isModern) return {};
  if (isModern) link.declared = params._meta[`${META}clientCapabilities`]?.extensions ?? {};
  if (isModern && method.startsWith("tasks/") && METHODS[method] && !link.declared[TASKS])
    throw missing(TASKS);
  if (isModern && method === "subscriptions/listen") {
    const { notifications: filter } = params;
    if (filter.taskIds && !link.declared[TASKS]) throw missing(TASKS);
    listening.set(id, { filter, notify: link.notify });
    const _meta = { [`${META}subscriptionId`]: id };
    link.notify("notifications/subscriptions/acknowledged", { notifications: filter, _meta });
    return undefined;
  }
  if (!METHODS[method]) throw { code: -32601, message: "Method not found" };
  return METHODS[method](params, link);
}

/** The response. Undefined for a request that stays open. */
async function respond({ id, method, params = {} }, link) {
  try {
    const result = await answer(id, method, params, link);
    if (result === undefined) return undefined;
    if (!isModern) return { id, result: { ...(method.startsWith("skills/") && HINTS[method]), ...result } };
    const _meta = { ...result._meta, [`${META}serverInfo`]: INFO };
    return { id, result: { resultType: "complete", ...HINTS[method], ...result, _meta } };
  } catch (thrown) {
    const { code = -32603, message = String(thrown), data } = thrown;
    return { id, error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
}

// ---- Transports

function serveConnection() {
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const waiting = new Map();
  let nextId = 1;
  const connection = {
    declared: {},
    notify: (method, params) => send({ method, params }),
    ask: (question) =>
      new Promise((resolve) => {
        const id = `question-${nextId++}`;
        waiting.set(id, resolve);
        send({ id, ...question });
      }),
  };
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter((each) => each.trim() !== "")) {
      const message = JSON.parse(line);
      if (message.method === undefined) {
        waiting.get(message.id)?.(message.result ?? { error: message.error });
        waiting.delete(message.id);
      } else if (message.method === "notifications/cancelled") listening.delete(message.params.requestId);
      else if (message.id !== undefined) {
        // Each request of the modern era has its own declaration.
        const link = isModern ? { ...connection } : connection;
        void respond(message, link).then((response) => response && send(response));
      }
    }
  });
  process.stdin.on("end", () => process.exit(0));
}

const STATUS = { [-32601]: 404, [-32021]: 400, [-32020]: 400, [-32022]: 400 };

/** One response per POST. Only `subscriptions/listen` is a stream. A name in a header must be the one in the body. */
async function serveHttp() {
  const { createServer } = await import("node:http");
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const isPost = request.method === "POST";
    const message = isPost ? JSON.parse(Buffer.concat(chunks).toString()) : {};
    if (message.id === undefined) return void response.writeHead(isPost ? 202 : 405).end();
    const { id, method, params = {} } = message;
    const write = (body) => JSON.stringify({ jsonrpc: "2.0", ...body });
    const fail = (error) =>
      response.writeHead(STATUS[error.code] ?? 200, JSON_TYPE).end(write({ id, error }));
    if (method.startsWith("tasks/") && request.headers["mcp-name"] !== params.taskId && METHODS[method])
      return void fail({ code: -32020, message: "Mcp-Name is not the id of the task" });
    if (method === "subscriptions/listen") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const notify = (name, given) =>
        void response.write(`data: ${write({ method: name, params: given })}\n\n`);
      response.on("close", () => listening.delete(id));
      const failure = await respond(message, { notify });
      if (failure) response.end(`data: ${write(failure)}\n\n`);
      return;
    }
    const answered = await respond(message, { notify: () => {} });
    if (answered.error) fail(answered.error);
    else response.writeHead(200, JSON_TYPE).end(write(answered));
  });
  server.listen(0, "127.0.0.1", () =>
    process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`),
  );
  process.stdin.once("end", () => process.exit(0)).resume();
}

const JSON_TYPE = { "content-type": "application/json" };

if (isHttp) await serveHttp();
else serveConnection();
