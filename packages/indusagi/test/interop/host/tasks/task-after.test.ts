import { verifies } from "@indus/testkit";
import {
  createProviderHost,
  mountProtocolBridge,
  type ProviderHostOptions,
  relayFleet,
} from "indusagi/interop";
import { answeredOutcome, createTableBox, type TableTool, type ToolBox, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import type { RawMessage } from "../http/raw-http.ts";
import { linkTo, TASKS, type TaskClient, taskClient } from "./task-client.ts";

const FORM = {
  method: "elicitation/create",
  params: { mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } },
} as const;
const AFTER_MS = 30;

interface Held {
  readonly box: ToolBox;
  readonly stopped: string[];
  release(text: string): void;
}

/** Tools that say nothing about tasks: `held` until it is released; `asks` by ending its request; `quick` at once. */
function plainTools(): Held {
  const releases: ((text: string) => void)[] = [];
  const stopped: string[] = [];
  const tool = (name: string, run: TableTool["run"]): TableTool => ({
    descriptor: { name, description: name, parameters: { type: "object" } },
    run,
  });
  const { box } = createTableBox([
    tool("held", async ({ id }, signal, caller) => {
      caller?.progress?.({ progress: 1, message: "digging" });
      const again = setInterval(() => caller?.progress?.({ progress: 2, message: "still digging" }), 10);
      const text = await new Promise<string>((resolve, reject) => {
        releases.push(resolve);
        signal?.addEventListener("abort", () => {
          stopped.push("held");
          reject(new Error("stopped"));
        });
      }).finally(() => clearInterval(again));
      return answeredOutcome(id, textResult(text));
    }),
    tool("asks", async ({ id }, _signal, caller) => {
      if (caller?.resume)
        return answeredOutcome(
          id,
          textResult(`${caller.resume.state}: ${JSON.stringify(caller.resume.responses)}`),
        );
      await new Promise((resolve) => setTimeout(resolve, AFTER_MS * 3));
      return {
        ...answeredOutcome(id, textResult("")),
        suspended: { requests: { a: FORM }, state: "half way" },
      };
    }),
    tool("quick", async ({ id }) => answeredOutcome(id, textResult("at once"))),
  ]);
  return { box, stopped, release: (text) => releases.shift()?.(text) };
}

interface Served extends TaskClient, Omit<Held, "box"> {}

async function serve(limits: ProviderHostOptions["tasks"] = {}): Promise<Served> {
  const { box, ...held } = plainTools();
  const host = createProviderHost(box, undefined, {}, { tasks: { afterMs: AFTER_MS, ...limits } });
  return { ...(await taskClient(host)), ...held };
}

const idOf = ({ result }: RawMessage): string => String(result?.["taskId"]);
const stateOf = async (client: TaskClient, taskId: string): Promise<RawMessage["result"]> =>
  (await client.ask("tasks/get", { taskId })).result;

verifies("tasks:after", "a long call of any tool becomes a task, with its progress and result", async () => {
  await using client = await serve();
  const discovered = (await client.ask("server/discover")).result?.["capabilities"];
  expect(discovered).toMatchObject({ extensions: { [TASKS]: {} } });
  expect((await client.call("quick")).result).toMatchObject({ content: [{ text: "at once" }] });
  const created = await client.call("held");
  expect(created.result).toMatchObject({ resultType: "task", status: "working" });
  const taskId = idOf(created);
  await expect
    .poll(() => stateOf(client, taskId), { timeout: 10_000 })
    .toMatchObject({ status: "working", statusMessage: "still digging" });
  client.release("done");
  await expect
    .poll(() => stateOf(client, taskId), { timeout: 10_000 })
    .toMatchObject({ status: "completed", result: { content: [{ text: "done" }] } });
  const cancelled = idOf(await client.call("held"));
  await client.ask("tasks/cancel", { taskId: cancelled });
  expect((await stateOf(client, cancelled))?.["status"]).toBe("cancelled");
  expect(client.stopped).toEqual(["held"]);
});

verifies(
  "tasks:after",
  "a client that follows no tasks waits, and so does one without room for a task",
  async () => {
    await using client = await serve({ perOwner: 1 });
    const waiting = client.call("held", {}, { follows: false });
    await new Promise((resolve) => setTimeout(resolve, AFTER_MS * 3));
    client.release("late");
    expect((await waiting).result).toMatchObject({ content: [{ text: "late" }] });
    const first = idOf(await client.call("held"));
    const second = client.call("held");
    await new Promise((resolve) => setTimeout(resolve, AFTER_MS * 3));
    client.release("first");
    client.release("second");
    expect((await second).result).toMatchObject({ content: [{ text: "second" }] });
    await expect
      .poll(() => stateOf(client, first), { timeout: 10_000 })
      .toMatchObject({ status: "completed" });
  },
);

verifies("tasks:after", "questions of the call become questions of the task", async () => {
  await using client = await serve();
  const taskId = idOf(await client.call("asks"));
  await expect
    .poll(() => stateOf(client, taskId), { timeout: 10_000 })
    .toMatchObject({ status: "input_required", inputRequests: { a: { method: "elicitation/create" } } });
  await client.ask("tasks/update", { taskId, inputResponses: { a: { action: "decline" } } });
  await expect
    .poll(() => stateOf(client, taskId), { timeout: 10_000 })
    .toMatchObject({
      status: "completed",
      result: { content: [{ text: 'half way: {"a":{"action":"decline"}}' }] },
    });
});

verifies("tasks:after", "a server that creates a task late is followed within the first task", async () => {
  const late: TableTool = {
    descriptor: { name: "late", description: "late", parameters: { type: "object" } },
    run: async ({ id }, _signal, caller) => {
      await new Promise((resolve) => setTimeout(resolve, AFTER_MS * 3));
      caller?.asTask?.();
      const answers = await caller?.ask?.({ a: FORM });
      return answeredOutcome(id, textResult(JSON.stringify(answers)));
    },
  };
  const server = createProviderHost(createTableBox([late]).box, undefined, {}, { tasks: { pollMs: 10 } });
  const { box, fleet } = await mountProtocolBridge(
    { servers: [{ kind: "stdio", id: "up", command: "(in this process)" }] },
    { transport: () => linkTo(server) },
  );
  const relay = relayFleet(fleet);
  const host = createProviderHost(relay.relayedBox(box), undefined, relay.clientProviders(), {
    clientExtensions: "relayed",
    tasks: { afterMs: AFTER_MS },
  });
  try {
    await using client = await taskClient(host);
    const taskId = idOf(await client.call("up__late"));
    await expect
      .poll(() => stateOf(client, taskId), { timeout: 10_000 })
      .toMatchObject({ taskId, status: "input_required", inputRequests: { a: {} } });
    await client.ask("tasks/update", { taskId, inputResponses: { a: { action: "decline" } } });
    await expect
      .poll(() => stateOf(client, taskId), { timeout: 10_000 })
      .toMatchObject({ status: "completed", result: { content: [{ text: '{"a":{"action":"decline"}}' }] } });
  } finally {
    await fleet.tearDown();
  }
});
