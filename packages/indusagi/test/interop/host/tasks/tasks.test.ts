import { verifies } from "@indus/testkit";
import {
  createProviderHost,
  linkedTransports,
  type ProviderHostOptions,
  type RpcMessage,
} from "indusagi/interop";
import { expect } from "vitest";
import { modernRequest, type RawMessage } from "../http/raw-http.ts";
import { TASKS, type TaskClient, taskClient, taskTools } from "./task-client.ts";

interface Served extends TaskClient {
  /** Lets the tool `held` answer. */
  release(text: string): void;
}

async function serve(options: ProviderHostOptions = { tasks: {} }): Promise<Served> {
  const { box, release } = taskTools();
  return { ...(await taskClient(createProviderHost(box, undefined, {}, options))), release };
}

/** Nothing but the acknowledgement, besides who sends it. */
const acknowledged = ({ result }: RawMessage): boolean =>
  result?.["resultType"] === "complete" &&
  Object.keys(result).every((name) => name === "resultType" || name === "_meta");
const idOf = ({ result }: RawMessage): string => String(result?.["taskId"]);

verifies("tasks:kept", "a call goes on as a task, and its client gets the result later", async () => {
  await using host = await serve();
  const created = await host.call("held");
  expect(created.result).toMatchObject({
    resultType: "task",
    status: "working",
    ttlMs: 600_000,
    pollIntervalMs: 1_000,
  });
  const taskId = idOf(created);
  expect((await host.ask("tasks/get", { taskId })).result).toMatchObject({ taskId, status: "working" });
  host.release("done");
  const ended = await host.ask("tasks/get", { taskId });
  expect(ended.result).toMatchObject({
    resultType: "complete",
    status: "completed",
    result: { content: [{ type: "text", text: "done" }] },
  });
  // Cancelling a task that has ended is acknowledged and changes nothing.
  expect(acknowledged(await host.ask("tasks/cancel", { taskId }))).toBe(true);
  expect((await host.ask("tasks/get", { taskId })).result?.["status"]).toBe("completed");
  expect((await host.call("quick")).result).toMatchObject({ content: [{ text: "at once" }] });
});

verifies("tasks:kept", "a cancelled task is cancelled, and its tool is stopped", async () => {
  await using host = await serve();
  const taskId = idOf(await host.call("held"));
  expect(acknowledged(await host.ask("tasks/cancel", { taskId }))).toBe(true);
  expect((await host.ask("tasks/get", { taskId })).result).toMatchObject({ status: "cancelled" });
});

verifies("tasks:kept", "questions of a task are answered in parts", async () => {
  await using host = await serve();
  const taskId = idOf(await host.call("asks"));
  const open = (await host.ask("tasks/get", { taskId })).result;
  expect([open?.["status"], Object.keys(open?.["inputRequests"] as object)]).toEqual([
    "input_required",
    ["a", "b"],
  ]);
  const yes = { action: "accept", content: {} };
  await host.ask("tasks/update", { taskId, inputResponses: { a: yes, unknown: yes } });
  const left = (await host.ask("tasks/get", { taskId })).result;
  expect(Object.keys(left?.["inputRequests"] as object)).toEqual(["b"]);
  await host.ask("tasks/update", { taskId, inputResponses: { b: yes } });
  await expect
    .poll(async () => (await host.ask("tasks/get", { taskId })).result?.["status"], { timeout: 10_000 })
    .toBe("completed");
});

verifies(
  "tasks:refused",
  "who does not follow tasks gets the code for it, before anything is looked up",
  async () => {
    await using host = await serve();
    const required = { code: -32_021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } };
    expect((await host.call("held", {}, { follows: false })).error).toMatchObject(required);
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
      expect(
        (await host.ask(method, { taskId: "nobody's" }, { follows: false })).error,
        method,
      ).toMatchObject(required);
    expect((await host.ask("tasks/get", { taskId: "nobody's" })).error?.code).toBe(-32_602);
    for (const method of ["tasks/list", "tasks/result"])
      expect((await host.ask(method, {}, { follows: false })).error?.code, method).toBe(-32_601);
    await using plain = await serve({});
    expect((await plain.ask("tasks/get", { taskId: "x" })).error?.code).toBe(-32_601);
  },
);

verifies(
  "tasks:limits",
  "tasks of one client are limited, expire, and results that are too large are an error",
  async () => {
    await using few = await serve({ tasks: { perOwner: 1 } });
    const first = idOf(await few.call("held"));
    expect((await few.call("asks")).error).toMatchObject({
      code: -32_000,
      message: expect.stringContaining("too many tasks"),
    });
    await few.ask("tasks/cancel", { taskId: first });
    await using short = await serve({ tasks: { ttlMs: 50, bytes: 10 } });
    const taskId = idOf(await short.call("held"));
    await expect
      .poll(async () => (await short.ask("tasks/get", { taskId })).error?.code, { timeout: 10_000 })
      .toBe(-32_602);
    await using small = await serve({ tasks: { bytes: 10 } });
    const large = idOf(await small.call("held"));
    small.release("x".repeat(100));
    await expect
      .poll(async () => (await small.ask("tasks/get", { taskId: large })).result?.["error"], {
        timeout: 10_000,
      })
      .toMatchObject({ message: expect.stringContaining("too large") });
  },
);

verifies("tasks:pushed", "a subscription gets the whole task, now and after each change", async () => {
  await using host = await serve();
  const [held, asking] = [idOf(await host.call("held")), idOf(await host.call("asks"))];
  await using listening = await host.listen([held, "nobody's", asking]);
  const [acknowledged] = listening.messages;
  expect(acknowledged).toMatchObject({
    method: "notifications/subscriptions/acknowledged",
    params: { notifications: { taskIds: [held, asking] } },
  });
  await expect
    .poll(() => listening.states())
    .toEqual([
      { taskId: held, status: "working" },
      { taskId: asking, status: "input_required", asks: ["a", "b"] },
    ]);
  const yes = { action: "accept", content: {} };
  await host.ask("tasks/update", { taskId: asking, inputResponses: { a: yes } });
  await expect
    .poll(() => listening.states().slice(2))
    .toEqual([{ taskId: asking, status: "input_required", asks: ["b"] }]);
  host.release("done");
  await expect
    .poll(() => listening.states().slice(3))
    .toEqual([{ taskId: held, status: "completed", text: "done" }]);
  await host.ask("tasks/cancel", { taskId: asking });
  await expect.poll(() => listening.states().slice(4)).toEqual([{ taskId: asking, status: "cancelled" }]);
  const id = acknowledged?.params?.["_meta"];
  const pushedLast = listening.messages.at(-1)?.params;
  expect(pushedLast?.["_meta"]).toEqual(id);
  // The same as its client would have got by asking.
  const { resultType: _, _meta, ...state } = (await host.ask("tasks/get", { taskId: asking })).result ?? {};
  expect(pushedLast).toMatchObject(state);
});

verifies(
  "tasks:pushed",
  "who does not follow tasks is refused, and a host without tasks ignores them",
  async () => {
    await using host = await serve();
    const taskId = idOf(await host.call("held"));
    await using refused = await host.listen([taskId], { follows: false });
    expect(refused.messages[0]?.error).toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
    });
    const many = Array.from({ length: 101 }, (_, at) => `task_${at}`);
    await using full = await host.listen(many);
    expect(full.messages[0]?.error).toMatchObject({
      code: -32_602,
      message: "a subscription may name at most 100 tasks; use several subscriptions",
    });
    // Nothing to send, so it ends.
    await using unknown = await host.listen(["nobody's"]);
    await expect.poll(() => unknown.messages.at(-1)?.result).toMatchObject({ resultType: "complete" });
    expect(unknown.messages[0]?.params?.["notifications"]).toEqual({});
    await using plain = await serve({});
    await using ignored = await plain.listen([taskId], { follows: false });
    expect(ignored.messages[0]?.params?.["notifications"]).toEqual({});
  },
);

verifies("tasks:pushed", "a subscription ends with its listener, with an answer", async () => {
  const host = await serve();
  await using listening = await host.listen([idOf(await host.call("held"))]);
  await host[Symbol.asyncDispose]();
  await expect.poll(() => listening.messages.at(-1)?.result).toMatchObject({ resultType: "complete" });
});

verifies(
  "tasks:pushed",
  "a client of a connection is sent changes until it cancels the subscription",
  async () => {
    const { box, release } = taskTools();
    const host = createProviderHost(box, undefined, {}, { tasks: {} });
    const [client, theirs] = linkedTransports();
    const got: RpcMessage[] = [];
    client.onmessage = (message) => void got.push(message);
    await client.start();
    const running = await host.connect(theirs);
    const ask = (id: number, method: string, params: object): void => {
      const _meta = { "io.modelcontextprotocol/clientCapabilities": { extensions: { [TASKS]: {} } } };
      void client.send(modernRequest(id, method, { ...params, _meta }).body as RpcMessage);
    };
    const answer = async (id: number): Promise<RpcMessage["result"]> => {
      await expect.poll(() => got.some((message) => message.id === id)).toBe(true);
      return got.find((message) => message.id === id)?.result as RpcMessage["result"];
    };
    const pushed = (): unknown[] =>
      got.filter(({ method }) => method === "notifications/tasks").map(({ params }) => params?.["status"]);
    ask(1, "tools/call", { name: "held", arguments: {} });
    const { taskId } = (await answer(1)) as { readonly taskId: string };
    ask(2, "subscriptions/listen", { notifications: { taskIds: [taskId] } });
    await expect.poll(pushed).toEqual(["working"]);
    expect(got.find(({ method }) => method?.endsWith("/acknowledged"))).toMatchObject({
      params: { notifications: { taskIds: [taskId] } },
    });
    void client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
    release("unseen");
    ask(3, "tasks/get", { taskId });
    expect(await answer(3)).toMatchObject({ status: "completed" });
    expect(pushed()).toEqual(["working"]);
    ask(4, "subscriptions/listen", { notifications: { taskIds: [taskId] } });
    await expect.poll(pushed).toEqual(["working", "completed"]);
    await running.cancel();
  },
);
