import { setMaxListeners } from "node:events";
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from "@modelcontextprotocol/sdk/experimental/tasks/index.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { type CallToolResult, ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { linkedTransports, type MessageTransport } from "indusagi/interop";

/** An official server of the legacy era (2025-11-25) in this process, whose tools run as tasks. */
export interface LegacyTaskServer {
  /** A new connection to it. */
  transport(): MessageTransport;
  /** Ends the running tasks of the tool `dig`. */
  release(text: string): void;
  /** The time to live that clients asked for, and the arguments of the tool `plain`. */
  readonly seen: unknown[];
}

// While a client waits for a result, the library adds a listener to the signal of its request with each look at the task.
setMaxListeners(1_000); // Not 0: undici could not read the limit of a signal then.

const FORM = {
  method: "elicitation/create",
  params: { mode: "form", message: "which?", requestedSchema: { type: "object", properties: {} } },
} as const;

/**
 * `dig` (optional) ends when it is released, `ask` (required) asks a question, `fail` (optional) reports a failure, `break` (optional)
 * fails without a result, `plain` has no tasks.
 */
export function legacyTaskServer(): LegacyTaskServer {
  const held: ((text: string) => void)[] = [];
  const seen: unknown[] = [];
  const store = new InMemoryTaskStore();
  const connect = (transport: MessageTransport): void => {
    const capabilities = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } }, logging: {} };
    const server = new McpServer(
      { name: "old", version: "1" },
      { capabilities, taskStore: store, taskMessageQueue: new InMemoryTaskMessageQueue() },
    );
    const taskTool = (
      name: string,
      taskSupport: "optional" | "required",
      work: (ask: (taskId: string) => Promise<unknown>, taskId: string) => Promise<CallToolResult>,
    ): void => {
      server.experimental.tasks.registerToolTask(
        name,
        { description: name, execution: { taskSupport } },
        {
          createTask: async (extra) => {
            seen.push(extra.taskRequestedTtl);
            const task = await extra.taskStore.createTask({
              ttl: extra.taskRequestedTtl ?? null,
              pollInterval: 19.5,
            });
            const ask = (taskId: string): Promise<unknown> =>
              extra.sendRequest(FORM as never, ElicitResultSchema, { relatedTask: { taskId } } as never);
            void work(ask, task.taskId)
              .then(
                (result) =>
                  extra.taskStore.storeTaskResult(
                    task.taskId,
                    result.isError ? "failed" : "completed",
                    result,
                  ),
                () => extra.taskStore.updateTaskStatus(task.taskId, "failed", "it broke"),
              )
              .catch(() => {}); // Cancelled meanwhile.
            return { task };
          },
          getTask: (extra) => extra.taskStore.getTask(extra.taskId),
          getTaskResult: (extra) => extra.taskStore.getTaskResult(extra.taskId) as Promise<CallToolResult>,
        },
      );
    };
    const text = (said: string): CallToolResult => ({ content: [{ type: "text", text: said }] });
    taskTool("dig", "optional", async () => text(await new Promise<string>((resolve) => held.push(resolve))));
    taskTool("ask", "required", async (ask, taskId) => text(JSON.stringify(await ask(taskId))));
    taskTool("fail", "optional", async () => ({ ...text("no luck"), isError: true }));
    taskTool("break", "optional", async () => Promise.reject(new Error("broken")));
    server.registerTool("plain", { description: "plain" }, () => text("plain"));
    void server.connect(transport as never);
  };
  return {
    seen,
    release: (said) => {
      for (const end of held.splice(0)) end(said);
    },
    transport: () => {
      const [ours, theirs] = linkedTransports();
      connect(theirs);
      return ours;
    },
  };
}
