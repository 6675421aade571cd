import { tempDir, verifies } from "@indus/testkit";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, CreateTaskResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { createProviderHost, type ServerConfig, serveHttp } from "indusagi/interop";
import { expect } from "vitest";
import {
  modernRequest,
  type RawMessage,
  send,
} from "../../../../indusagi/test/interop/host/http/raw-http.ts";
import { TASKS, taskTools } from "../../../../indusagi/test/interop/host/tasks/task-client.ts";
import { everythingOverHttp } from "../../../../indusagi/test/mcp/kit/everything-server.ts";
import { workspaceTokens } from "../../../src/boot/internal.ts";
import { serveIn } from "./serve-in.ts";

interface FirstClient extends AsyncDisposable {
  readonly client: Client;
}

/** The official client of the legacy era. */
async function legacy(url: string, token: string): Promise<FirstClient> {
  const client = new Client({ name: "old client", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as never);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

async function modern(url: string, token: string, method: string, params: object): Promise<RawMessage> {
  const raw = modernRequest(1, method, {
    ...params,
    _meta: { "io.modelcontextprotocol/clientCapabilities": { extensions: { [TASKS]: {} } } },
  });
  const { taskId } = params as { readonly taskId?: string };
  const headers = {
    ...raw.headers,
    authorization: `Bearer ${token}`,
    ...(taskId !== undefined && { "mcp-name": taskId }),
  };
  return (await send(url, { ...raw, headers })).messages.at(-1) ?? {};
}

/** Resolves when a tool is offered. */
async function known(url: string, token: string, tool: string): Promise<void> {
  await using early = await legacy(url, token);
  const names = async (): Promise<string[]> => (await early.client.listTools()).tools.map(({ name }) => name);
  await expect.poll(names, { timeout: 20_000 }).toContain(tool);
}

const create = async ({ client }: FirstClient, name: string, args: object = {}) =>
  (
    await client.request(
      { method: "tools/call", params: { name, arguments: { ...args }, task: { ttl: 60_000 } } },
      CreateTaskResultSchema,
    )
  ).task;

verifies(
  "tasks:legacy",
  "server-everything runs its research as a task through indus serve, for clients of both eras",
  async () => {
    await using dir = await tempDir();
    await using upstream = await everythingOverHttp("streamableHttp");
    const everything: ServerConfig = { kind: "streamable-http", id: "every", url: upstream.url };
    await using served = await serveIn(dir, {}, [everything]);
    const { token } = await (await workspaceTokens(served.run)).add("ann", {});
    const research = "simulate-research-query";
    for (const [url, name] of [
      [served.url, `every__${research}`],
      [`${served.url}/every`, research],
    ] as const) {
      // What a gateway can do is said once per session, and in its first run the server was not known.
      await known(url, token, name);
      await using old = await legacy(url, token);
      expect(old.client.getServerCapabilities()?.tasks).toEqual({
        list: {},
        cancel: {},
        requests: { tools: { call: {} } },
      });
      const task = await create(old, name, { topic: "tides" });
      expect(task, url).toMatchObject({ status: "working", pollInterval: 1_000 });
      expect(task.taskId).toMatch(/^task_/);
      const { tasks } = old.client.experimental;
      expect(await tasks.cancelTask(task.taskId)).toMatchObject({
        status: "cancelled",
      });
      expect((await tasks.listTasks()).tasks).toContainEqual(
        expect.objectContaining({ taskId: task.taskId }),
      );
      const discovered = await modern(url, token, "server/discover", {});
      expect(discovered.result).toMatchObject({ capabilities: { extensions: { [TASKS]: {} } } });
      expect(discovered.result?.["capabilities"]).not.toHaveProperty("tasks");
      const created = await modern(url, token, "tools/call", { name, arguments: { topic: "tides" } });
      expect(created.result).toMatchObject({ resultType: "task", status: "working", pollIntervalMs: 1_000 });
      const taskId = String(created.result?.["taskId"]);
      await modern(url, token, "tasks/cancel", { taskId });
      expect((await modern(url, token, "tasks/get", { taskId })).result).toMatchObject({
        status: "cancelled",
      });
    }
  },
  { timeoutMs: 60_000 },
);

verifies(
  "tasks:own-only",
  "after a restart of the gateway its handles work again, for the same token only",
  async () => {
    await using dir = await tempDir();
    const { box, release } = taskTools();
    await using upstream = await listening(box);
    const row: ServerConfig = { kind: "streamable-http", id: "up", url: upstream.url };
    let taskId = "";
    const tokens: string[] = [];
    for (const round of ["created", "restarted"]) {
      await using served = await serveIn(dir, {}, [row]);
      if (round === "created")
        for (const name of ["ann", "bob"])
          tokens.push((await (await workspaceTokens(served.run)).add(name, {})).token);
      const [ann = "", bob = ""] = tokens;
      await known(served.url, ann, "up__held");
      await using old = await legacy(served.url, ann);
      await using other = await legacy(served.url, bob);
      if (round === "created") ({ taskId } = await create(old, "up__held"));
      expect(await old.client.experimental.tasks.getTask(taskId)).toMatchObject({ status: "working" });
      await expect(other.client.experimental.tasks.getTask(taskId)).rejects.toMatchObject({ code: -32_602 });
      if (round === "created") continue;
      release("still here");
      expect(await old.client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema)).toMatchObject({
        content: [{ text: "still here" }],
      });
    }
  },
  { timeoutMs: 60_000 },
);

async function listening(box: Parameters<typeof createProviderHost>[0]) {
  const host = createProviderHost(box, undefined, {}, { tasks: { pollMs: 20 } });
  const listener = await serveHttp(host, { port: 0 });
  return { url: listener.url, [Symbol.asyncDispose]: () => listener.close() };
}
