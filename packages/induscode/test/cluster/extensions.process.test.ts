import { fileURLToPath } from "node:url";
import { natsServer, type TempDir, tempDir, verifies } from "@indus/testkit";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
  TaskStatusNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect } from "vitest";
import { modernRequest, send } from "../../../indusagi/test/interop/host/http/raw-http.ts";
import { eventually } from "../bin/run-indus.ts";
import { type StartedCluster, startCluster } from "./started-cluster.ts";

// One cluster for all of these tests: two gateways, and the same server in both eras, as `old` and `new`.

const options = { when: natsServer !== undefined, timeoutMs: 60_000 } as const;
const server = fileURLToPath(new URL("../../../../test/servers/extensions.mjs", import.meta.url));
const TASKS = "io.modelcontextprotocol/tasks";
const UI = "io.modelcontextprotocol/ui";
const APPS = { [UI]: { mimeTypes: ["text/html;profile=mcp-app"] } };

let dir: TempDir;
let cluster: StartedCluster;

beforeAll(async () => {
  if (!options.when) return;
  dir = await tempDir();
  const row = (era: string): object => ({
    command: process.execPath,
    args: [server, "stdio", "--era", era],
  });
  cluster = await startCluster(dir, {
    rows: { old: row("legacy"), new: row("modern") },
    gateways: ["g1", "g2"],
    workers: ["w1"],
    serve: ["--mode", "bypass"],
  });
  // A session is offered tasks if a server with tasks is known when it begins.
  await Promise.all([0, 1].map((gateway) => ask(gateway, "tools/list")));
}, 120_000);

afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await dir?.[Symbol.asyncDispose]();
}, 60_000);

type Json = { readonly [member: string]: unknown };

const bearer = (): { readonly authorization: string } => ({ authorization: `Bearer ${cluster.token}` });

/** A modern request of a client that declares extensions. */
async function ask(
  gateway: number,
  method: string,
  params: Json = {},
  extensions: object = { [TASKS]: {} },
): Promise<Json> {
  const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {}, extensions };
  const { headers, body } = modernRequest(1, method, {
    ...params,
    _meta: { "io.modelcontextprotocol/clientCapabilities": capabilities },
  });
  const name = params["taskId"] ?? params["uri"] ?? params["name"];
  const named = typeof name === "string" ? { "mcp-name": name } : {};
  const answer = await send(cluster.urls[gateway] ?? "", {
    body,
    headers: { ...headers, ...named, ...bearer() },
  });
  return answer.messages.at(-1)?.result ?? { failed: answer.text };
}

/** The state of a task once it fits. The gateways are asked in turn. */
async function stateOf(taskId: string, fits: (state: Json) => boolean): Promise<Json> {
  let gateway = 0;
  return eventually(async () => {
    gateway = 1 - gateway;
    const state = await ask(gateway, "tasks/get", { taskId });
    return fits(state) ? state : undefined;
  });
}

verifies(
  "cluster:tasks",
  "a legacy client sees the tasks of a legacy server as that server made them, and is asked each question once",
  async () => {
    const client = new Client(
      { name: "old client", version: "1" },
      { capabilities: { elicitation: {}, sampling: {}, roots: {} } },
    );
    const asked: string[] = [];
    const notified: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { name: "Ada" } };
    });
    client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => {
      notified.push(`${params.taskId} ${params.status}`);
    });
    const url = new URL(cluster.urls[0] ?? "");
    await client.connect(
      new StreamableHTTPClientTransport(url, { requestInit: { headers: bearer() } }) as never,
    );
    try {
      const { tools } = await client.listTools();
      const support = Object.fromEntries(tools.map(({ name, execution }) => [name, execution?.taskSupport]));
      expect(support).toMatchObject({
        old__trace: undefined,
        old__job: "optional",
        old__job_required: "required",
        new__trace: "optional",
      });
      expect(JSON.stringify(tools)).not.toContain("dev.indusagi");
      const start = async (name: string, ttl: number): Promise<string> => {
        const params = { name, arguments: {}, task: { ttl } };
        const { task } = await client.request({ method: "tools/call", params }, CreateTaskResultSchema);
        expect(task.ttl).toBe(ttl);
        return task.taskId;
      };
      const job = await start("old__job", 123_456);
      await eventually(() => (notified.includes(`${job} completed`) ? true : undefined));
      const both = await start("old__job_asks_two", 100_000);
      const resultOf = { method: "tasks/result", params: { taskId: both } };
      const result = await client.request(resultOf, CallToolResultSchema);
      expect(JSON.stringify(result.structuredContent)).toContain("Ada");
      expect(asked.toSorted()).toEqual(["First?", "Second?"]);
      // Its first change comes with the answer to the call.
      await eventually(() => (notified.includes(`${both} input_required`) ? true : undefined));
    } finally {
      await client.close();
    }
  },
  options,
);

verifies(
  "cluster:tasks",
  "a modern client follows a task of a legacy server at any gateway: its questions, and the page that its result names",
  async () => {
    const created = await ask(0, "tools/call", { name: "old__job_asks_two", arguments: {} });
    const taskId = String(created["taskId"]);
    // Whoever only watches is not asked.
    const over = new AbortController();
    const watching = modernRequest(2, "subscriptions/listen", {
      notifications: { taskIds: [taskId] },
      _meta: {
        "io.modelcontextprotocol/clientCapabilities": {
          elicitation: { form: {} },
          extensions: { [TASKS]: {} },
        },
      },
    });
    let pushed = "";
    const watch = send(cluster.urls[1] ?? "", {
      body: watching.body,
      headers: { ...watching.headers, ...bearer() },
      signal: over.signal,
      onText: (text) => (pushed += text),
    }).catch(() => {});
    const asking = await stateOf(
      taskId,
      ({ inputRequests }) => Object.keys((inputRequests as object | undefined) ?? {}).length === 2,
    );
    const questions = Object.entries(asking["inputRequests"] as { readonly [key: string]: Json });
    const messages = questions.map(([, { params }]) => (params as Json)["message"]);
    expect(messages.toSorted()).toEqual(["First?", "Second?"]);
    const yes = { action: "accept", content: { name: "Ada" } };
    const inputResponses = Object.fromEntries(questions.map(([key]) => [key, yes]));
    await ask(1, "tasks/update", { taskId, inputResponses });
    const done = await stateOf(taskId, ({ status }) => status === "completed");
    expect(JSON.stringify(done["result"])).toContain("Ada");
    await eventually(() => (pushed.includes('"status":"completed"') ? true : undefined));
    expect(new Set(pushed.match(/question_\w+/g))).toEqual(new Set(questions.map(([key]) => key)));
    over.abort();
    await watch;

    const chart = await ask(0, "tools/call", { name: "old__job_chart", arguments: {} });
    const charted = await stateOf(String(chart["taskId"]), ({ status }) => status === "completed");
    const { content } = charted["result"] as { readonly content: readonly { readonly uri: string }[] };
    const uri = content[0]?.uri;
    for (const gateway of [0, 1])
      expect(JSON.stringify(await ask(gateway, "resources/read", { uri }))).toContain(
        "Only a result names it",
      );
  },
  options,
);

verifies(
  "cluster:extensions",
  "each client gets the tools that a server lists for the extensions it declared, at every gateway",
  async () => {
    for (const gateway of [0, 1, 0, 1]) {
      const chartFor = async (extensions: object): Promise<Json | undefined> => {
        const { tools } = (await ask(gateway, "tools/list", {}, extensions)) as {
          readonly tools: readonly Json[];
        };
        return tools.find(({ name }) => name === "new__chart");
      };
      expect((await chartFor({}))?.["description"]).toBe("Draws a chart as text.");
      expect(await chartFor(APPS)).toMatchObject({
        description: "Draws a chart.",
        // Both servers have this page.
        _meta: { ui: { resourceUri: "ui://indus+new/charts/view.html" } },
      });
    }
  },
  options,
);
