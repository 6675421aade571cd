import { verifies } from "@indus/testkit";
import {
  createServerEndpoint,
  type InjectedTransport,
  linkedTransports,
  type RpcMessage,
} from "indusagi/interop";
import { expect } from "vitest";

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
