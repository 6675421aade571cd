import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { verifiesTogether } from "@indus/testkit";
import {
  createServerEndpoint,
  mountProtocolBridge,
  type QuestionAnswerer,
  type ServerConfig,
} from "indusagi/interop";
import { expect } from "vitest";

const entry = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** The public server behind HTTP, gone with `await using`. */
async function listening(
  mode: "streamableHttp" | "sse",
): Promise<{ readonly port: number } & AsyncDisposable> {
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [entry, mode], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on("data", (chunk) => /port/i.test(String(chunk)) && resolve());
    child.once("exit", () => reject(new Error(`server-everything ${mode} did not start`)));
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return { port, [Symbol.asyncDispose]: () => (child.kill("SIGKILL"), gone) };
}

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
    await using http = await listening("streamableHttp");
    await using sse = await listening("sse");
    await Promise.all([
      callEveryTool({ kind: "stdio", id: "ev", command: process.execPath, args: [entry, "stdio"] }),
      callEveryTool({ kind: "streamable-http", id: "ev", url: `http://127.0.0.1:${http.port}/mcp` }),
      callEveryTool({ kind: "sse", id: "ev", url: `http://127.0.0.1:${sse.port}/sse` }),
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
      args: [entry, "stdio"],
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
    await using sse = await listening("sse");
    const url = `http://127.0.0.1:${sse.port}/sse`;
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
    await using server = await listening("streamableHttp");
    const dead = await freePort();
    const refuse: typeof fetch = async () => new Response("no", { status: 401 });
    const at = (path: string): string => `http://127.0.0.1:${server.port}${path}`;
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
