import { verifies } from "@indus/testkit";
import { Client } from "@modelcontextprotocol/client";
import {
  createProviderHost,
  linkedTransports,
  mountProtocolBridge,
  type ProviderHost,
  type RelayScope,
  type RpcMessage,
  relayFleet,
} from "indusagi/interop";
import { expect } from "vitest";
import { linkTo, type TaskClient, taskClient, taskTools, withoutPush } from "../host/tasks/task-client.ts";

interface Gateway extends AsyncDisposable {
  readonly host: ProviderHost;
  release(text: string): void;
}

/** A gateway in front of a modern server with tasks. */
async function gateway(
  scope: RelayScope = {},
  toServer?: (message: RpcMessage) => RpcMessage,
): Promise<Gateway> {
  const { box: tools, release } = taskTools();
  const server = createProviderHost(tools, undefined, {}, { tasks: { pollMs: 20 } });
  const { box, fleet } = await mountProtocolBridge(
    { servers: [{ kind: "stdio", id: "up", command: "(in this process)" }] },
    { transport: () => linkTo(server, toServer && { toServer }) },
  );
  const relay = relayFleet(fleet, { taskKey: () => new Uint8Array(32).fill(1) });
  const host = createProviderHost(relay.relayedBox(box), undefined, relay.clientProviders(scope), {
    clientExtensions: "relayed",
  });
  return { host, release, [Symbol.asyncDispose]: () => fleet.tearDown() };
}

const status = async (client: TaskClient, taskId: unknown): Promise<unknown> =>
  (await client.ask("tasks/get", { taskId })).result?.["status"];

verifies(
  "tasks:relayed",
  "a modern client follows a task of a modern server: state, questions, result, cancel",
  async () => {
    await using up = await gateway();
    await using client = await taskClient(up.host);
    const { result: created } = await client.call("up__held");
    const taskId = created?.["taskId"];
    expect(created).toMatchObject({ resultType: "task", status: "working", pollIntervalMs: 20 });
    const sealed = Buffer.from(String(taskId).slice("task_".length), "base64url");
    expect(sealed.includes('"up"')).toBe(false);
    expect(await status(client, taskId)).toBe("working");
    up.release("done");
    await expect.poll(() => status(client, taskId), { timeout: 10_000 }).toBe("completed");
    const { result: ended } = await client.ask("tasks/get", { taskId });
    expect(ended).toMatchObject({ taskId, result: { content: [{ text: "done" }] } });
    const asking = (await client.call("up__asks")).result?.["taskId"];
    await expect.poll(() => status(client, asking), { timeout: 10_000 }).toBe("input_required");
    const yes = { action: "accept", content: {} };
    await client.ask("tasks/update", { taskId: asking, inputResponses: { a: yes, b: yes } });
    await expect.poll(() => status(client, asking), { timeout: 10_000 }).toBe("completed");
    const held = (await client.call("up__held")).result?.["taskId"];
    await client.ask("tasks/cancel", { taskId: held });
    expect(await status(client, held)).toBe("cancelled");
  },
);

verifies("tasks:relayed", "who may not use the server, or follows no tasks, has none", async () => {
  let isAllowed = true;
  await using up = await gateway({ keeps: () => isAllowed });
  await using client = await taskClient(up.host);
  const taskId = (await client.call("up__held")).result?.["taskId"];
  isAllowed = false;
  // No server that it may use has tasks, so there are none at all.
  expect((await client.ask("tasks/get", { taskId })).error?.code).toBe(-32_601);
  isAllowed = true;
  expect((await client.ask("tasks/get", { taskId: `${String(taskId)}x` })).error?.code).toBe(-32_602);
  expect((await client.ask("tasks/get", { taskId }, { follows: false })).error?.code).toBe(-32_021);
  // It is told itself what it must declare.
  expect((await client.call("up__held", {}, { follows: false })).error?.code).toBe(-32_021);
});

verifies(
  "tasks:relayed",
  "for a legacy client the gateway follows the task, with its questions",
  async () => {
    await using up = await gateway();
    const [ours, theirs] = linkedTransports();
    const running = await up.host.connect(theirs);
    const client = new Client(
      { name: "old", version: "1" },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "legacy" } },
    );
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: {} }));
    await client.connect(ours as never);
    expect(client.getServerCapabilities()?.extensions).toBeUndefined();
    const calling = client.callTool({ name: "up__held", arguments: {} });
    const released = setInterval(() => up.release("for the old client"), 20);
    expect((await calling).content).toMatchObject([{ text: "for the old client" }]);
    clearInterval(released);
    expect((await client.callTool({ name: "up__asks", arguments: {} })).content).toMatchObject([
      { text: expect.stringContaining("accept") },
    ]);
    await client.close();
    await running.cancel();
  },
);

for (const [how, pushes] of [
  ["pushes them", true],
  ["does not push them", false],
] as const)
  verifies("tasks:pushed", `a client is sent the changes of a task of a server that ${how}`, async () => {
    const asked: (string | undefined)[] = [];
    await using up = await gateway({}, (message) => {
      asked.push(message.method);
      return pushes ? message : withoutPush(message);
    });
    await using client = await taskClient(up.host);
    const taskId = String((await client.call("up__held")).result?.["taskId"]);
    const asking = String((await client.call("up__asks")).result?.["taskId"]);
    const from = asked.length;
    await using listening = await client.listen([taskId, asking, `${taskId}x`]);
    expect(listening.messages[0]?.params?.["notifications"]).toEqual({ taskIds: [taskId, asking] });
    const states = async (...expected: readonly object[]): Promise<void> =>
      expect
        .poll(() => [...listening.states()].slice(-expected.length), { timeout: 10_000 })
        .toEqual(expected);
    await expect
      .poll(() => listening.states(), { timeout: 10_000 })
      .toEqual(
        expect.arrayContaining([
          { taskId, status: "working" },
          { taskId: asking, status: "input_required", asks: ["a", "b"] },
        ]),
      );
    const yes = { action: "accept", content: {} };
    await client.ask("tasks/update", { taskId: asking, inputResponses: { a: yes, b: yes } });
    await states({ taskId: asking, status: "completed", text: JSON.stringify({ a: yes, b: yes }) });
    up.release("done");
    await states({ taskId, status: "completed", text: "done" });
    const listens = asked.slice(from).filter((method) => method === "subscriptions/listen");
    // One for both tasks.
    expect(listens).toHaveLength(1);
    const looks = asked.slice(from).filter((method) => method === "tasks/get").length;
    // Each is looked at when it is subscribed to and when the server acknowledges that.
    if (pushes) expect(looks).toBeLessThanOrEqual(4);
    else expect(looks).toBeGreaterThan(4);
  });

verifies("tasks:pushed", "nothing is asked after a subscription has ended", async () => {
  const asked: (string | undefined)[] = [];
  await using up = await gateway({}, (message) => {
    asked.push(message.method);
    return withoutPush(message);
  });
  await using client = await taskClient(up.host);
  const taskId = String((await client.call("up__held")).result?.["taskId"]);
  const listening = await client.listen([taskId]);
  const looks = (): number => asked.filter((method) => method === "tasks/get").length;
  await expect.poll(looks).toBeGreaterThan(1);
  await listening[Symbol.asyncDispose]();
  await expect.poll(() => asked.at(-1)).toBe("notifications/cancelled");
  const before = looks();
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(looks()).toBe(before);
});
