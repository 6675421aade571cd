import { verifies } from "@indus/testkit";
import { CallToolResultSchema, CreateTaskResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { createProviderHost, serveHttp } from "indusagi/interop";
import { answeredOutcome, createTableBox, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { send } from "../host/http/raw-http.ts";
import { taskTools } from "../host/tasks/task-client.ts";
import { type LegacyTaskClient, legacyTaskClient, taskGateway } from "./task-gateway.ts";

const RELATED = "io.modelcontextprotocol/related-task";

async function create({ client }: LegacyTaskClient, name: string, ttl?: number) {
  const task = ttl === undefined ? {} : { ttl };
  const created = await client.request(
    { method: "tools/call", params: { name, arguments: {}, task } },
    CreateTaskResultSchema,
  );
  return created.task;
}

const result = ({ client }: LegacyTaskClient, taskId: string) =>
  client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);

verifies(
  "tasks:legacy",
  "a legacy client runs tools of a legacy server as tasks: state, questions, result, list, cancel",
  async () => {
    await using up = await taskGateway();
    await using old = await legacyTaskClient(up.host);
    const { tasks } = old.client.experimental;
    expect(old.client.getServerCapabilities()?.tasks).toEqual({
      list: {},
      cancel: {},
      requests: { tools: { call: {} } },
    });
    const dig = await create(old, "old__dig", 60_000);
    expect(up.old.seen).toEqual([60_000]);
    expect(dig).toMatchObject({ status: "working", ttl: 60_000, pollInterval: 20 });
    expect(dig.taskId).toMatch(/^task_/);
    expect(await tasks.getTask(dig.taskId)).toMatchObject({ taskId: dig.taskId, status: "working" });
    const waiting = result(old, dig.taskId);
    up.old.release("dug");
    expect(await waiting).toMatchObject({
      content: [{ text: "dug" }],
      _meta: { [RELATED]: { taskId: dig.taskId } },
    });
    const ask = await create(old, "old__ask");
    expect(await result(old, ask.taskId)).toMatchObject({
      content: [{ text: expect.stringContaining("yes") }],
    });
    expect(old.asked).toMatchObject([{ message: "which?", _meta: { [RELATED]: { taskId: ask.taskId } } }]);
    const fail = await create(old, "old__fail");
    expect(await result(old, fail.taskId)).toMatchObject({ isError: true });
    expect(await tasks.getTask(fail.taskId)).toMatchObject({ status: "failed" });
    await expect(tasks.cancelTask(fail.taskId)).rejects.toMatchObject({ code: -32_602 });
    const ended = await create(old, "old__dig");
    expect(await tasks.cancelTask(ended.taskId)).toMatchObject({ taskId: ended.taskId, status: "cancelled" });
    const { tasks: listed } = await tasks.listTasks();
    expect(listed.map(({ taskId, status }) => [taskId, status])).toEqual([
      [dig.taskId, "completed"],
      [ask.taskId, "completed"],
      [fail.taskId, "failed"],
      [ended.taskId, "cancelled"],
    ]);
    expect(old.notified).toContainEqual(expect.objectContaining({ taskId: ask.taskId }));
  },
);

verifies("tasks:legacy", "the errors of a legacy server keep their meaning", async () => {
  await using up = await taskGateway();
  await using old = await legacyTaskClient(up.host);
  const broken = await create(old, "old__break");
  await expect
    .poll(async () => (await old.client.experimental.tasks.getTask(broken.taskId)).status)
    .toBe("failed");
  await expect(result(old, broken.taskId)).rejects.toMatchObject({ code: -32_603 });
  await expect(old.client.experimental.tasks.getTask("task_other")).rejects.toMatchObject({ code: -32_602 });
  await expect(result(old, "task_other")).rejects.toMatchObject({ code: -32_602 });
  await expect(create(old, "old__nothing")).rejects.toMatchObject({ code: -32_602 });
  // Called plainly, a tool that needs a task is followed by the gateway, as before.
  expect(
    await old.client.request({ method: "tools/call", params: { name: "old__ask" } }, CallToolResultSchema),
  ).toMatchObject({ content: [{ text: expect.stringContaining("yes") }] });
});

verifies(
  "tasks:legacy",
  "a legacy client runs tools of a server with the extension as tasks, with questions and cancel",
  async () => {
    await using up = await taskGateway();
    await using old = await legacyTaskClient(up.host);
    const { tools } = await old.client.listTools();
    expect(Object.fromEntries(tools.map(({ name, execution }) => [name, execution?.taskSupport]))).toEqual({
      old__dig: "optional",
      old__ask: "required",
      old__fail: "optional",
      old__break: "optional",
      old__plain: "forbidden",
      new__held: "optional",
      new__quick: "optional",
      new__asks: "optional",
    });
    const held = await create(old, "new__held", 1_000);
    // The extension has no way to pass a wished time to live on.
    expect(held).toMatchObject({ status: "working", ttl: 600_000, pollInterval: 20 });
    const waiting = result(old, held.taskId);
    up.release("held");
    expect(await waiting).toMatchObject({
      content: [{ text: "held" }],
      _meta: { [RELATED]: { taskId: held.taskId } },
    });
    const asks = await create(old, "new__asks");
    expect(await result(old, asks.taskId)).toMatchObject({
      content: [{ text: expect.stringContaining("yes") }],
    });
    expect(old.asked.map(({ _meta }) => _meta)).toEqual([
      { [RELATED]: { taskId: asks.taskId } },
      { [RELATED]: { taskId: asks.taskId } },
    ]);
    const { tasks } = old.client.experimental;
    await expect(tasks.cancelTask(asks.taskId)).rejects.toMatchObject({ code: -32_602 });
    const cancelled = await create(old, "new__held");
    expect(await tasks.cancelTask(cancelled.taskId)).toMatchObject({ status: "cancelled" });
    await expect(result(old, cancelled.taskId)).rejects.toMatchObject({ code: -32_602 });
    // The client is told of changes, as by a legacy server.
    await expect
      .poll(() => old.notified)
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({ taskId: held.taskId, status: "completed" }),
          expect.objectContaining({ taskId: cancelled.taskId, status: "cancelled" }),
        ]),
      );
  },
);

verifies("tasks:minted", "an answer at once becomes a task that has ended", async () => {
  await using up = await taskGateway();
  await using old = await legacyTaskClient(up.host);
  const quick = await create(old, "new__quick", 5_000);
  expect(quick).toMatchObject({ status: "completed", ttl: 5_000 });
  for (let times = 0; times < 2; times++)
    expect(await result(old, quick.taskId)).toMatchObject({
      content: [{ text: "at once" }],
      _meta: { [RELATED]: { taskId: quick.taskId } },
    });
  const { tasks } = await old.client.experimental.tasks.listTasks();
  expect(tasks).toMatchObject([{ taskId: quick.taskId, status: "completed" }]);
  expect(await create(old, "new__quick", 10 * 3_600_000)).toMatchObject({ ttl: 600_000 });
});

verifies(
  "tasks:minted",
  "tools of the host itself run as tasks of legacy clients, within limits",
  async () => {
    const { box, release } = taskTools();
    const host = createProviderHost(box, undefined, {}, { tasks: { perOwner: 2, bytes: 500 } });
    await using old = await legacyTaskClient(host);
    const held = await create(old, "held");
    expect(held).toMatchObject({ status: "working" });
    release("done");
    expect(await result(old, held.taskId)).toMatchObject({ content: [{ text: "done" }] });
    const asks = await create(old, "asks");
    expect(await result(old, asks.taskId)).toMatchObject({
      content: [{ text: expect.stringContaining("yes") }],
    });
    await expect(create(old, "quick")).rejects.toMatchObject({
      code: -32_000,
      message: expect.stringContaining("too many tasks"),
    });
    await using other = await legacyTaskClient(host);
    const large = await create(other, "held");
    release("x".repeat(1_000));
    await expect(result(other, large.taskId)).rejects.toMatchObject({
      message: expect.stringContaining("too large"),
    });
    // Another connection has none of them.
    await expect(other.client.experimental.tasks.getTask(held.taskId)).rejects.toMatchObject({
      code: -32_602,
    });
  },
);

verifies(
  "tasks:legacy",
  "a tool without tasks cannot be called as one; older revisions are offered none",
  async () => {
    const { box } = createTableBox([
      {
        descriptor: { name: "now", description: "", parameters: { type: "object" } },
        run: async ({ id }) => answeredOutcome(id, textResult("now")),
      },
    ]);
    await using old = await legacyTaskClient(createProviderHost(box, undefined, {}, { tasks: {} }));
    await expect(create(old, "now")).rejects.toMatchObject({
      code: -32_601,
      message: expect.stringContaining('tool "now" cannot be called as a task'),
    });
    await using up = await taskGateway();
    const listener = await serveHttp(up.host, { port: 0 });
    const older = "2025-06-18";
    const body = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: older, capabilities: {}, clientInfo: { name: "older", version: "1" } },
    };
    const opened = await send(listener.url, { body });
    expect(opened.messages[0]?.result).toMatchObject({ protocolVersion: older });
    expect(opened.messages[0]?.result?.["capabilities"]).not.toHaveProperty("tasks");
    const session = {
      "mcp-session-id": String(opened.headers["mcp-session-id"]),
      "mcp-protocol-version": older,
    };
    const ask = async (method: string, params: object) =>
      (await send(listener.url, { headers: session, body: { jsonrpc: "2.0", id: 2, method, params } }))
        .messages[0];
    expect((await ask("tasks/list", {}))?.error?.code).toBe(-32_601);
    // It does not know the parameter.
    expect((await ask("tools/call", { name: "new__quick", arguments: {}, task: {} }))?.result).toMatchObject({
      content: [{ text: "at once" }],
    });
    await listener.close();
  },
);
