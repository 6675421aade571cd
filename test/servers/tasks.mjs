// A server of the newer protocol with tasks, without the SDK: `node tasks.mjs` over stdio, `node tasks.mjs --http` over HTTP.
// `--no-push`: changes of tasks are not pushed to subscriptions.
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const TASKS = "io.modelcontextprotocol/tasks";
const META = "io.modelcontextprotocol/";
const FORM = {
  method: "elicitation/create",
  params: {
    mode: "form",
    message: "Which tide?",
    requestedSchema: { type: "object", properties: { tide: { type: "string" } } },
  },
};
const TOOLS = [
  ["report", "Writes a report, as a task with three steps."],
  ["ask", "Asks a question within a task."],
  ["endless", "A task that never ends."],
  ["slow", "Answers after a moment, never as a task."],
].map(([name, description]) => ({ name, description, inputSchema: { type: "object" } }));
const pushes = !process.argv.includes("--no-push");

const tasks = new Map();
const watchers = new Map();
const steps = new Map();
let made = 0;

function create(name) {
  const at = new Date().toISOString();
  const task = {
    taskId: `t${++made}`,
    status: "working",
    createdAt: at,
    lastUpdatedAt: at,
    ttlMs: 600_000,
    pollIntervalMs: 20,
  };
  tasks.set(task.taskId, task);
  if (name === "ask")
    setTimeout(() => change(task, { status: "input_required", inputRequests: { q: FORM } }), 20);
  if (name === "report") steps.set(task, 0);
  return task;
}

/** A report goes on each time that it is asked about, so what a client sees does not depend on time. */
function step(task) {
  const at = (steps.get(task) ?? 0) + 1;
  steps.set(task, at);
  if (at > 3) finish(task, "the report");
  else change(task, { statusMessage: `step ${at} of 3` });
}

function finish(task, text) {
  delete task.inputRequests;
  delete task.statusMessage;
  change(task, { status: "completed", result: { content: [{ type: "text", text }] } });
}

function change(task, members) {
  Object.assign(task, members, { lastUpdatedAt: new Date().toISOString() });
  for (const watcher of watchers.get(task.taskId) ?? []) watcher(task);
}

const failure = (code, message, data) => ({ error: { code, message, data } });
const UNDECLARED = failure(-32_021, "declare tasks", {
  requiredCapabilities: { extensions: { [TASKS]: {} } },
});

/** The answer to a request; a promise for a slow one. */
function answer(method, params) {
  const declared = params?._meta?.[`${META}clientCapabilities`]?.extensions?.[TASKS] !== undefined;
  if (method === "server/discover")
    return {
      result: {
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {}, extensions: { [TASKS]: {} } },
        ttlMs: 0,
        cacheScope: "private",
        _meta: { [`${META}serverInfo`]: { name: "tasks", version: "1" } },
      },
    };
  if (method === "tools/list")
    return { result: { resultType: "complete", tools: TOOLS, ttlMs: 0, cacheScope: "private" } };
  if (method === "tools/call") {
    const content = [{ type: "text", text: "not a task" }];
    if (params.name === "slow")
      return new Promise((resolve) =>
        setTimeout(() => resolve({ result: { resultType: "complete", content } }), 300),
      );
    if (!declared) return UNDECLARED;
    return { result: { resultType: "task", ...create(params.name) } };
  }
  if (!/^tasks\/(get|update|cancel)$/.test(method)) return failure(-32_601, "Method not found");
  if (!declared) return UNDECLARED;
  const task = tasks.get(params.taskId);
  if (!task) return failure(-32_602, "no such task");
  if (method === "tasks/get") {
    if (steps.has(task) && task.status === "working") step(task);
    return { result: { resultType: "complete", ...task } };
  }
  if (method === "tasks/cancel" && !task.result) change(task, { status: "cancelled" });
  if (method === "tasks/update" && params.inputResponses?.q)
    finish(task, `the answer was ${params.inputResponses.q.action}`);
  return { result: { resultType: "complete" } };
}

/** Subscribes to tasks. Returns a function that ends it. */
function listen({ id, params }, send) {
  const meta = { [`${META}subscriptionId`]: id };
  const taskIds = pushes ? (params?.notifications?.taskIds ?? []).filter((taskId) => tasks.has(taskId)) : [];
  const notifications = taskIds.length > 0 ? { taskIds } : {};
  send({ method: "notifications/subscriptions/acknowledged", params: { notifications, _meta: meta } });
  const push = (task) => send({ method: "notifications/tasks", params: { ...task, _meta: meta } });
  for (const taskId of taskIds) watchers.set(taskId, new Set(watchers.get(taskId)).add(push));
  return () => {
    for (const taskId of taskIds) watchers.get(taskId)?.delete(push);
  };
}

async function handle(message, send) {
  const { id, method, params } = message;
  if (id === undefined) return;
  send({ id, ...(await answer(method, params)) });
}

function overStdio() {
  const ends = new Map();
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  createInterface({ input: process.stdin })
    .on("line", (line) => {
      const message = JSON.parse(line);
      if (message.method === "subscriptions/listen") ends.set(message.id, listen(message, send));
      else if (message.method === "notifications/cancelled") ends.get(message.params.requestId)?.();
      else void handle(message, send);
    })
    .on("close", () => process.exit(0));
}

function overHttp() {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const message = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (message.method === "subscriptions/listen") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const send = (each) => response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...each })}\n\n`);
      return void response.once("close", listen(message, send));
    }
    if (message.id === undefined) return void response.writeHead(202).end();
    await handle(message, (answered) => {
      const code = answered.error?.code;
      const status = code === -32_601 ? 404 : code === -32_021 ? 400 : 200;
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", ...answered }));
    });
  });
  server.listen(0, "127.0.0.1", () =>
    process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`),
  );
}

if (process.argv.includes("--http")) overHttp();
else overStdio();
