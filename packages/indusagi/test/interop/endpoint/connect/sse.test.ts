import { verifies } from "@indus/testkit";
import {
  createServerEndpoint,
  type EndpointOptions,
  mountProtocolBridge,
  type ServerEndpointImpl,
  type SseServerConfig,
} from "indusagi/interop";
import { expect } from "vitest";
import { type SseServer, sseServer } from "./sse-server.ts";

const row = ({ url }: SseServer): SseServerConfig => ({ kind: "sse", id: "h", url, onMismatch: "fail" });

async function opened(
  server: SseServer,
  options: EndpointOptions = {},
): Promise<ServerEndpointImpl & AsyncDisposable> {
  const endpoint = createServerEndpoint(row(server), undefined, { relistMs: 60_000, ...options });
  await endpoint.open();
  return Object.assign(endpoint, { [Symbol.asyncDispose]: () => endpoint.close() });
}

async function mounted(server: SseServer) {
  const { box, fleet } = await mountProtocolBridge(
    { servers: [row(server)] },
    { relistMs: 60_000, supervision: { firstDelayMs: 20, maxDelayMs: 50, breaker: { failures: 1000 } } },
  );
  const run = (name: string, input: object = {}) => box.runner.run({ id: name, name: `h__${name}`, input });
  const status = () => fleet.status().get("h");
  return { run, status, [Symbol.asyncDispose]: () => fleet.tearDown() };
}

const textOf = (result: { readonly content: readonly unknown[] }): string =>
  (result.content[0] as { readonly text: string }).text;

const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

for (const how of ["end", "destroy"] as const) {
  verifies("http:sse-lost", `${how}: a call in flight fails at once as one that may have run`, async () => {
    await using server = await sseServer();
    await using endpoint = await opened(server);
    const call = thrownBy(endpoint.invoke("silent", {}));
    await expect.poll(() => server.asked).toContain("tools/call");
    server.cut(how);
    const fault = await call;
    expect(fault).toMatchObject({
      kind: "transport",
      message: 'server "h" ended the connection',
      retrySafe: false,
    });
    expect([endpoint.phase, endpoint.status().fault]).toEqual(["faulted", fault]);
    expect(server.streams).toBe(1);
  });
}

verifies("http:sse-lost", "a stream that ends between calls is detected without a call", async () => {
  await using server = await sseServer();
  await using endpoint = await opened(server);
  expect(textOf(await endpoint.invoke("echo", { text: "hi" }))).toBe("hi");
  const ended = new Promise((resolve) => endpoint.onEnd(resolve));
  server.cut();
  expect(await ended).toMatchObject({ kind: "transport", message: 'server "h" ended the connection' });
  expect(endpoint.phase).toBe("faulted");
});

verifies("http:sse-lost", "a stream that ends in the handshake fails the open at once", async () => {
  await using server = await sseServer();
  server.refuse = ({ method }) => {
    if (method !== "initialize") return undefined;
    server.cut();
    return { status: 202 }; // Accepted, and never answered.
  };
  const endpoint = createServerEndpoint(row(server));
  expect(await thrownBy(endpoint.open())).toMatchObject({ kind: "transport", server: "h" });
  expect(server.streams).toBe(1);
});

verifies("http:sse-lost", "a supervised server comes back with a session of its own", async () => {
  await using server = await sseServer();
  await using bridge = await mounted(server);
  const call = bridge.run("silent");
  await expect.poll(() => server.asked).toContain("tools/call");
  server.refuseStreams = 503;
  server.cut();
  expect(await call).toMatchObject({ isError: true, fault: { kind: "transport", retrySafe: false } });
  await expect.poll(() => bridge.status()?.state).toBe("restarting");
  server.refuseStreams = undefined;
  await expect.poll(() => bridge.status()).toMatchObject({ phase: "ready" });
  expect((await bridge.run("echo", { text: "back" })).output).toBe("back");
  expect(server.asked.filter((method) => method === "initialize")).toHaveLength(2);
});

for (const refusal of [
  { status: 404, body: "Could not find session" },
  { status: 400, body: "No transport found for sessionId" },
]) {
  verifies(
    "http:session-lost",
    `SSE: ${refusal.status} leads to a new session without a failed call`,
    async () => {
      await using server = await sseServer();
      await using bridge = await mounted(server);
      let left = 1;
      server.refuse = ({ method }) => (method === "tools/call" && left-- > 0 ? refusal : undefined);
      expect((await bridge.run("echo", { text: "again" })).output).toBe("again");
      expect(bridge.status()).toMatchObject({ phase: "ready", restarts: 1 });
      expect(server.streams).toBe(2);
    },
  );
}

verifies("http:login", "SSE: a login that expires in a session is an auth fault", async () => {
  await using server = await sseServer();
  await using endpoint = await opened(server);
  server.refuse = () => ({ status: 401 });
  const fault = await thrownBy(endpoint.invoke("echo", {}));
  expect(fault).toMatchObject({ reason: "auth", retrySafe: true, details: { status: 401 } });
  expect(endpoint.phase).toBe("faulted");
});

verifies("http:login", "SSE: a token provider is called on a 401 and the message is sent again", async () => {
  await using server = await sseServer();
  let isLoggedIn = true;
  const onUnauthorized = async (): Promise<void> => void (isLoggedIn = true);
  await using endpoint = await opened(server, { auth: { token: async () => "t", onUnauthorized } });
  server.refuse = () => (isLoggedIn ? undefined : { status: 401 });
  isLoggedIn = false;
  expect(textOf(await endpoint.invoke("echo", { text: "in" }))).toBe("in");
});
