import { verifies } from "@indus/testkit";
import {
  createProviderHost,
  createServerEndpoint,
  type InjectedTransport,
  linkedTransports,
  type RpcMessage,
} from "indusagi/interop";
import { expect } from "vitest";
import { linkTo, taskTools } from "../../host/tasks/task-client.ts";

const config = { kind: "stdio", id: "s", command: "unused" } as const;

/**
 * A legacy server with one tool that runs as a task. `status` returns the state of the task; `undefined` leaves the
 * request unanswered.
 */
function taskServer(status: () => string | undefined): {
  readonly transport: InjectedTransport;
  readonly asked: string[];
} {
  const [transport, server] = linkedTransports();
  const asked: string[] = [];
  const answers: { readonly [method: string]: () => object | undefined } = {
    initialize: () => ({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, tasks: {} },
      serverInfo: { name: "tasks", version: "1" },
    }),
    "tools/list": () => ({
      tools: [{ name: "dig", inputSchema: { type: "object" }, execution: { taskSupport: "required" } }],
    }),
    "tools/call": () => ({ task: { taskId: "t", status: "working", pollInterval: 10 } }),
    "tasks/get": () => {
      const now = status();
      return now === undefined ? undefined : { taskId: "t", status: now, pollInterval: 10 };
    },
    "tasks/result": () => ({ content: [{ type: "text", text: "dug" }] }),
    "tasks/cancel": () => ({ taskId: "t", status: "cancelled" }),
  };
  server.onmessage = ({ id, method = "" }: RpcMessage) => {
    if (id === undefined) return;
    asked.push(method);
    const error = { code: -32_601, message: "Method not found" };
    const result = answers[method]?.();
    if (result) void server.send({ jsonrpc: "2.0", id, result });
    else if (!answers[method]) void server.send({ jsonrpc: "2.0", id, error });
  };
  void server.start();
  return { transport, asked };
}

for (const [how, status] of [
  ["works on for ever", "working"],
  ["stays silent", undefined],
] as const) {
  verifies("endpoint:tasks", `a task that ${how} ends with the time of the whole call`, async () => {
    const { transport, asked } = taskServer(() => status);
    const timeouts = { callMs: 10_000, totalMs: 400 };
    const endpoint = createServerEndpoint(config, transport, { timeouts });
    await endpoint.open();
    await endpoint.listTools();
    await expect(endpoint.invoke("dig", {})).rejects.toMatchObject({
      kind: "timeout",
      server: "s",
      retrySafe: false,
      message: 'server "s" did not finish the task of tool "dig" within 400 ms',
    });
    await expect.poll(() => asked).toContain("tasks/cancel");
    await endpoint.close();
  });
}

verifies("endpoint:tasks", "a task that ends in time gives its result", async () => {
  let polls = 0;
  const { transport, asked } = taskServer(() => (++polls < 3 ? "working" : "completed"));
  const endpoint = createServerEndpoint(config, transport);
  await endpoint.open();
  await endpoint.listTools();
  expect(await endpoint.invoke("dig", {})).toMatchObject({ content: [{ text: "dug" }] });
  expect(asked).not.toContain("tasks/cancel");
  await endpoint.close();
});

verifies("endpoint:tasks", "the definition that a call brings decides, not the listed one", async () => {
  const { transport, asked } = taskServer(() => "completed");
  const endpoint = createServerEndpoint(config, transport);
  await endpoint.open();
  await endpoint.listTools();
  const definition = { name: "dig", inputSchema: { type: "object" } } as const;
  await endpoint.invoke("dig", {}, { definition });
  expect(asked).not.toContain("tasks/result");
  expect(await endpoint.invoke("dig", {})).toMatchObject({ content: [{ text: "dug" }] });
  await endpoint.close();
});

verifies(
  "endpoint:tasks",
  "a followed task of a modern server ends with the time of the whole call",
  async () => {
    const host = createProviderHost(taskTools().box, undefined, {}, { tasks: { pollMs: 20 } });
    const asked: (string | undefined)[] = [];
    const transport = linkTo(host, { toServer: (message) => (asked.push(message.method), message) });
    const endpoint = createServerEndpoint(config, transport, { timeouts: { callMs: 10_000, totalMs: 300 } });
    await endpoint.open();
    await expect(endpoint.invoke("held", {})).rejects.toMatchObject({
      kind: "timeout",
      server: "s",
      retrySafe: false,
      message: 'server "s" did not finish the task within 300 ms',
    });
    await expect.poll(() => asked).toContain("tasks/cancel");
    await endpoint.close();
  },
);

verifies(
  "endpoint:tasks",
  "a question that a server still shows after its answer is asked once",
  async () => {
    const box = taskTools().box;
    const host = createProviderHost(box, undefined, {}, { tasks: { pollMs: 10 } });
    let isAnswered = false;
    let question: object | undefined;
    let stale = 0;
    const transport = linkTo(host, {
      toServer: (message) => {
        isAnswered ||= message.method === "tasks/update";
        return message;
      },
      toClient: (message) => {
        const result = message.result as { readonly status?: string } | undefined;
        if (result?.status === "input_required") question = result;
        // As if the server did not know of the answer yet.
        if (!isAnswered || !question || result?.status === undefined || ++stale > 2) return message;
        return { ...message, result: question };
      },
    });
    const endpoint = createServerEndpoint(config, transport);
    await endpoint.open();
    const asked: string[][] = [];
    const extensions = { "io.modelcontextprotocol/tasks": {} };
    const result = await endpoint.invoke(
      "asks",
      {},
      {
        caller: {
          key: "c",
          can: { elicit: { form: true }, extensions },
          ask: async (questions) => {
            asked.push(Object.keys(questions));
            return Object.fromEntries(Object.keys(questions).map((key) => [key, { action: "decline" }]));
          },
        },
      },
    );
    expect(result.content).toMatchObject([{ text: expect.stringContaining("decline") }]);
    expect([asked, stale]).toEqual([[["a", "b"]], 3]);
    await endpoint.close();
  },
);
