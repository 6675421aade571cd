// A server with tasks on the bare SDK, as its documentation shows.
//   node tasks-server.mjs stdio|http
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const TASKS = "io.modelcontextprotocol/tasks";
const CAPABILITIES = { tools: {}, extensions: { [TASKS]: {} } };
const AS_SENT = { "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value }) } };
const tasks = new Map();

function createTask() {
  const at = new Date().toISOString();
  const task = {
    taskId: `task-${tasks.size + 1}`,
    status: "working",
    statusMessage: "half of it is done",
    createdAt: at,
    lastUpdatedAt: at,
    ttlMs: 600_000,
    pollIntervalMs: 1_000,
  };
  tasks.set(task.taskId, task);
  return task;
}

/** The SDK checks results of tools/call, and knows no tasks: its check gets an empty one. */
class TaskServer extends Server {
  _wrapHandler(method, handler) {
    if (method !== "tools/call") return super._wrapHandler(method, handler);
    let result;
    const checked = super._wrapHandler(method, async (...given) => {
      result = await handler(...given);
      return { content: [] };
    });
    return async (...given) => ({ ...(await checked(...given)), ...result });
  }
}

function factory() {
  const server = new TaskServer({ name: "tasks", version: "1.0.0" }, { capabilities: CAPABILITIES });
  server.setRequestHandler("tools/list", () => ({
    tools: [{ name: "dig", description: "Digs.", inputSchema: { type: "object" } }],
  }));
  server.setRequestHandler("tools/call", () => ({ resultType: "task", content: [], ...createTask() }));
  server.setRequestHandler("tasks/get", { params: AS_SENT }, ({ taskId }) => ({
    resultType: "complete",
    ...tasks.get(taskId),
  }));
  return server;
}

if (process.argv[2] === "stdio") serveStdio(factory);
else {
  const handle = toNodeHandler(createMcpHandler(factory, { legacy: "reject" }));
  const http = createServer((request, response) => handle(request, response));
  http.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${http.address().port}/mcp\n`));
}
