import { freePort, verifiesTogether } from "@indus/testkit";
import {
  createServerEndpoint,
  mountProtocolBridge,
  type QuestionAnswerer,
  type ServerConfig,
} from "indusagi/interop";
import { expect } from "vitest";
import { everythingOverHttp, everythingEntry as program } from "../../mcp/kit/everything-server.ts";

/** Accepts every form, plays a model, and has one root. */
const answers: QuestionAnswerer = {
  can: { elicit: { form: true, url: true }, sample: {}, roots: true },
  ask: async (requests) =>
    Object.fromEntries(
      Object.entries(requests).map(([key, { method }]) => {
        if (method === "roots/list") return [key, { roots: [{ uri: "file:///srv", name: "srv" }] }];
        if (method === "elicitation/create") return [key, { action: "accept", content: { name: "Ada" } }];
        return [
          key,
          {
            role: "assistant",
            model: "none",
            content: { type: "text", text: "hello" },
            stopReason: "endTurn",
          },
        ];
      }),
    ),
};

/** Each tool of the server, what to call it with, and what its answer holds. */
const CALLS: readonly (readonly [string, object, RegExp])[] = [
  ["echo", { message: "hi" }, /hi/],
  ["get-annotated-message", { messageType: "success", includeImage: true }, /"image"/],
  ["get-env", {}, /PATH/],
  ["get-resource-links", { count: 2 }, /resource_link/],
  ["get-resource-reference", { resourceType: "Text", resourceId: 1 }, /"resource"/],
  ["get-structured-content", { location: "Chicago" }, /temperature/],
  ["get-sum", { a: 2, b: 3 }, /is 5/],
  ["get-tiny-image", {}, /image\/png/],
  [
    "gzip-file-as-resource",
    { name: "a.gz", data: "data:text/plain;base64,aGk=", outputType: "resource" },
    /gzip/,
  ],
  ["toggle-simulated-logging", {}, /logging/i],
  ["toggle-subscriber-updates", {}, /updates/i],
  ["trigger-long-running-operation", { duration: 0.2, steps: 2 }, /completed/],
  ["get-roots-list", {}, /file:\/\/\/srv/],
  ["trigger-elicitation-request", {}, /Ada/],
  ["trigger-url-elicitation", { url: "https://example.test/", sendNotification: false }, /accept/i],
  ["trigger-sampling-request", { prompt: "greet" }, /hello/],
  ["simulate-research-query", { topic: "bridges" }, /bridges/],
];

async function callEveryTool(config: ServerConfig): Promise<void> {
  const { box, fleet } = await mountProtocolBridge({ servers: [config] }, { answers });
  try {
    expect(fleet.status().get("ev")).toMatchObject({ phase: "ready" });
    const listed = box.descriptors().map((tool) => tool.origin?.tool);
    expect(listed.toSorted()).toEqual(CALLS.map(([name]) => name).toSorted());
    for (const [name, input, holds] of CALLS) {
      const outcome = await box.runner.run({ id: name, name: `ev__${name}`, input });
      expect(outcome.isError, `${name}: ${JSON.stringify(outcome.output)}`).toBe(false);
      expect(JSON.stringify(outcome.wire?.value()), name).toMatch(holds);
    }
  } finally {
    await fleet.tearDown();
  }
}

verifiesTogether(
  "bridge:everything",
  "over stdio, Streamable HTTP and SSE, side by side",
  async () => {
    await using http = await everythingOverHttp("streamableHttp");
    await using sse = await everythingOverHttp("sse");
    await Promise.all([
      callEveryTool({ kind: "stdio", id: "ev", command: process.execPath, args: [program, "stdio"] }),
      callEveryTool({ kind: "streamable-http", id: "ev", url: http.url }),
      callEveryTool({ kind: "sse", id: "ev", url: sse.url }),
    ]);
  },
  { timeoutMs: 60_000 },
);

verifiesTogether(
  "endpoint:tasks",
  "the call is answered by the task's result, its state is reported as progress, and an abort ends it",
  async () => {
    const endpoint = createServerEndpoint({
      kind: "stdio",
      id: "ev",
      command: process.execPath,
      args: [program, "stdio"],
    });
    await endpoint.open();
    const tool = (await endpoint.listTools()).find(({ ref }) => ref.name === "simulate-research-query");
    expect(tool?.definition["execution"]).toEqual({ taskSupport: "required" });
    const states: unknown[] = [];
    const onProgress = ({ message }: { readonly message?: string }): void => void states.push(message);
    const { content } = await endpoint.invoke(
      "simulate-research-query",
      { topic: "bridges" },
      { onProgress },
    );
    expect(JSON.stringify(content)).toContain("Research Report: bridges");
    expect(states.length).toBeGreaterThan(0);
    const abort = new AbortController();
    const reason = new Error("enough");
    setTimeout(() => abort.abort(reason), 100);
    await expect(
      endpoint.invoke("simulate-research-query", { topic: "x" }, { signal: abort.signal }),
    ).rejects.toBe(reason);
    expect((await endpoint.invoke("get-sum", { a: 1, b: 1 })).isError).toBe(false);
    await endpoint.close();
  },
  { timeoutMs: 40_000 },
);

verifiesTogether(
  "http:transports",
  "each HTTP transport falls back to the other, unless the configuration pins it",
  async () => {
    await using sse = await everythingOverHttp("sse");
    const { url } = sse;
    const { fleet, box } = await mountProtocolBridge({
      servers: [
        { kind: "streamable-http", id: "falls", url },
        { kind: "streamable-http", id: "pinned", url, onMismatch: "fail" },
      ],
    });
    expect([...fleet.status().values()].map(({ phase }) => phase)).toEqual(["ready", "faulted"]);
    expect((await box.runner.run({ id: "1", name: "falls__get-sum", input: { a: 1, b: 1 } })).output).toMatch(
      /is 2/,
    );
    expect(fleet.status().get("pinned")?.fault).toMatchObject({
      kind: "transport",
      details: { status: 404 },
    });
    await fleet.tearDown();
  },
  { timeoutMs: 40_000 },
);

verifiesTogether(
  "http:faults",
  "a dead address, a wrong path and a refused login have different faults",
  async () => {
    await using server = await everythingOverHttp("streamableHttp");
    const dead = await freePort();
    const refuse: typeof fetch = async () => new Response("no", { status: 401 });
    const at = (path: string): string => new URL(path, server.url).href;
    const { fleet } = await mountProtocolBridge({
      servers: [
        { kind: "streamable-http", id: "dead", url: `http://127.0.0.1:${dead}/mcp` },
        { kind: "streamable-http", id: "path", url: at("/nowhere") },
      ],
    });
    expect(fleet.status().get("dead")?.fault).toMatchObject({
      kind: "transport",
      retrySafe: true,
      message: expect.stringContaining(`nothing listens at 127.0.0.1:${dead}`),
    });
    expect(fleet.status().get("path")?.fault).toMatchObject({ kind: "transport", details: { status: 404 } });
    await fleet.tearDown();
    const login = await mountProtocolBridge(
      { servers: [{ kind: "streamable-http", id: "login", url: at("/mcp") }] },
      { fetch: refuse },
    );
    expect(login.fleet.status().get("login")?.fault).toMatchObject({
      kind: "transport",
      reason: "auth",
      details: { status: 401 },
    });
    await login.fleet.tearDown();
  },
  { timeoutMs: 40_000 },
);
