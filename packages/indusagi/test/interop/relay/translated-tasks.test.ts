import { verifies } from "@indus/testkit";
import { CallToolResultSchema, CreateTaskResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { economize } from "indusagi/runtime";
import { expect } from "vitest";
import type { RawMessage } from "../host/http/raw-http.ts";
import { type TaskClient, taskClient } from "../host/tasks/task-client.ts";
import { legacyTaskClient, taskGateway } from "./task-gateway.ts";

const idOf = ({ result }: RawMessage): string => String(result?.["taskId"]);
const stateOf = async (client: TaskClient, taskId: string) =>
  (await client.ask("tasks/get", { taskId })).result ?? {};
const ended = (client: TaskClient, taskId: string) =>
  expect.poll(async () => (await stateOf(client, taskId))["status"], { timeout: 10_000 });

verifies(
  "tasks:translated",
  "a modern client follows tasks of a legacy server: state, result, cancel",
  async () => {
    await using up = await taskGateway();
    await using client = await taskClient(up.host);
    const created = await client.call("old__dig");
    expect(created.result).toMatchObject({
      resultType: "task",
      status: "working",
      ttlMs: 3_600_000,
      pollIntervalMs: 20,
      createdAt: expect.any(String),
      lastUpdatedAt: expect.any(String),
    });
    expect(created.result).not.toHaveProperty("task");
    const dig = idOf(created);
    expect(await stateOf(client, dig)).toMatchObject({
      taskId: dig,
      status: "working",
      resultType: "complete",
    });
    up.old.release("dug");
    await ended(client, dig).toBe("completed");
    const done = await stateOf(client, dig);
    expect(done).toMatchObject({ result: { content: [{ text: "dug" }] } });
    expect(JSON.stringify(done)).not.toContain("related-task");
    // Cancelling what has ended is acknowledged and changes nothing.
    expect((await client.ask("tasks/cancel", { taskId: dig })).result).toMatchObject({
      resultType: "complete",
    });
    expect(await stateOf(client, dig)).toMatchObject({ status: "completed" });
    const fail = idOf(await client.call("old__fail"));
    await ended(client, fail).toBe("completed");
    expect(await stateOf(client, fail)).toMatchObject({ result: { isError: true } });
    const broken = idOf(await client.call("old__break"));
    await ended(client, broken).toBe("failed");
    expect(await stateOf(client, broken)).toMatchObject({ error: { code: -32_603 } });
    const cancelled = idOf(await client.call("old__dig"));
    expect(
      Object.keys((await client.ask("tasks/cancel", { taskId: cancelled })).result ?? {}).sort(),
    ).toEqual(["_meta", "resultType"]);
    expect(await stateOf(client, cancelled)).toMatchObject({ status: "cancelled" });
    expect((await client.call("old__plain")).result).toMatchObject({ content: [{ text: "plain" }] });
    // Who follows no tasks gets the result: the server decides for an optional tool, and the gateway waits for a required one.
    const plain = client.call("old__dig", {}, { follows: false });
    await expect.poll(() => up.old.seen.length).toBe(5);
    up.old.release("for a plain call");
    expect((await plain).result).toMatchObject({ content: [{ text: "for a plain call" }] });
  },
);

verifies(
  "tasks:translated",
  "questions of a legacy server wait until a modern client answers them",
  async () => {
    await using up = await taskGateway();
    await using client = await taskClient(up.host);
    const taskId = idOf(await client.call("old__ask"));
    await ended(client, taskId).toBe("input_required");
    const { inputRequests } = (await stateOf(client, taskId)) as { readonly inputRequests: object };
    const [key = "", ...others] = Object.keys(inputRequests);
    expect(others).toEqual([]);
    expect(Object.values(inputRequests)).toEqual([
      { method: "elicitation/create", params: expect.objectContaining({ message: "which?" }) },
    ]);
    expect(JSON.stringify(inputRequests)).not.toContain("related-task");
    const yes = { action: "accept", content: { answer: "of a modern client" } };
    await client.ask("tasks/update", { taskId, inputResponses: { unknown: yes } });
    expect(await stateOf(client, taskId)).toMatchObject({ status: "input_required" });
    await client.ask("tasks/update", { taskId, inputResponses: { [key]: yes } });
    expect(await stateOf(client, taskId)).not.toHaveProperty("inputRequests");
    await ended(client, taskId).toBe("completed");
    expect(JSON.stringify(await stateOf(client, taskId))).toContain("of a modern client");
    // A task that is cancelled while it asks ends.
    const given = idOf(await client.call("old__ask"));
    await ended(client, given).toBe("input_required");
    await client.ask("tasks/cancel", { taskId: given });
    expect(await stateOf(client, given)).toMatchObject({ status: "cancelled" });
    expect((await client.ask("tasks/update", { taskId: "task_x", inputResponses: {} })).error?.code).toBe(
      -32_602,
    );
  },
);

verifies("tasks:translated", "a question reaches a modern client that only watches the task", async () => {
  await using up = await taskGateway();
  await using client = await taskClient(up.host);
  const taskId = idOf(await client.call("old__ask"));
  await using watching = await client.listen([taskId]);
  const asks = (): unknown[] =>
    watching.states().flatMap((state) => (state as { readonly asks?: readonly string[] }).asks ?? []);
  await expect.poll(asks, { timeout: 10_000 }).toHaveLength(1);
  const yes = { action: "accept", content: { answer: "of a watcher" } };
  await client.ask("tasks/update", { taskId, inputResponses: { [String(asks()[0])]: yes } });
  await ended(client, taskId).toBe("completed");
  expect(JSON.stringify(await stateOf(client, taskId))).toContain("of a watcher");
});

verifies("tasks:own-only", "a handle works for its principal alone, also after a restart", async () => {
  await using up = await taskGateway();
  await using ann = await taskClient(up.host, "ann");
  await using bob = await taskClient(up.host, "bob");
  for (const tool of ["old__dig", "new__held"]) {
    const taskId = idOf(await ann.call(tool));
    expect(await stateOf(ann, taskId)).toMatchObject({ status: "working" });
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
      expect((await bob.ask(method, { taskId })).error?.code, method).toBe(-32_602);
    await using restarted = await taskClient(up.again(), "ann");
    expect(await stateOf(restarted, taskId)).toMatchObject({ taskId, status: "working" });
    await restarted.ask("tasks/cancel", { taskId });
    expect(await stateOf(ann, taskId)).toMatchObject({ status: "cancelled" });
  }
});

verifies(
  "tasks:own-only",
  "a legacy client lists its own tasks, and only its own connection is told of their changes",
  async () => {
    await using up = await taskGateway();
    await using ann = await legacyTaskClient(up.host, "ann");
    await using bob = await legacyTaskClient(up.host, "bob");
    const created = await ann.client.request(
      { method: "tools/call", params: { name: "old__ask", arguments: {}, task: {} } },
      CreateTaskResultSchema,
    );
    const { taskId } = created.task;
    const { tasks } = bob.client.experimental;
    expect((await tasks.listTasks()).tasks).toEqual([]);
    for (const refused of [
      tasks.getTask(taskId),
      tasks.cancelTask(taskId),
      tasks.getTaskResult(taskId, CallToolResultSchema),
    ])
      await expect(refused).rejects.toMatchObject({ code: -32_602 });
    await ann.client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
    await expect
      .poll(() => ann.notified)
      .toContainEqual(expect.objectContaining({ taskId, status: "completed" }));
    // Another session of the same principal has it too.
    await using again = await legacyTaskClient(up.host, "ann");
    expect((await again.client.experimental.tasks.listTasks()).tasks).toMatchObject([{ taskId }]);
    await expect(tasks.listTasks("no cursor")).rejects.toMatchObject({ code: -32_602 });
    expect([bob.asked, bob.notified]).toEqual([[], []]);
  },
);

verifies("tasks:limits", "what is kept for a client is limited, with a clear error", async () => {
  await using up = await taskGateway();
  await using ann = await taskClient(up.host, "ann");
  const many = await Promise.all(Array.from({ length: 65 }, () => ann.call("old__ask")));
  const states = await Promise.all(many.map((each) => ann.ask("tasks/get", { taskId: idOf(each) })));
  const refused = states.filter(({ error }) => error);
  expect(refused).toMatchObject([
    { error: { code: -32_000, message: expect.stringContaining("too many tasks wait for an answer") } },
  ]);
  const first = states.findIndex(({ error }) => !error);
  await ann.ask("tasks/cancel", { taskId: idOf(many[first] ?? {}) });
  const again = many[states.findIndex(({ error }) => error)] ?? {};
  await ended(ann, idOf(again)).toBe("input_required");
  await using old = await legacyTaskClient(up.host, "bob");
  const quick = () =>
    old.client.request(
      { method: "tools/call", params: { name: "new__quick", arguments: {}, task: {} } },
      CreateTaskResultSchema,
    );
  for (let count = 0; count < 64; count++) await quick();
  await expect(quick()).rejects.toMatchObject({
    code: -32_000,
    message: expect.stringContaining("too many tasks: 64 of this client are kept"),
  });
  expect((await old.client.experimental.tasks.listTasks()).nextCursor).toBeDefined();
});

verifies("tasks:relayed", "a task of a tool that was called by search is passed on", async () => {
  await using up = await taskGateway({ wrap: economize });
  await using client = await taskClient(up.host);
  for (const name of ["old__dig", "new__held"]) {
    const created = await client.call("tool_call", { name, arguments: {} });
    expect(created.result, name).toMatchObject({ resultType: "task", status: "working" });
    await client.ask("tasks/cancel", { taskId: idOf(created) });
    expect(await stateOf(client, idOf(created))).toMatchObject({ status: "cancelled" });
  }
});
