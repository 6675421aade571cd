import { verifies } from "@indus/testkit";
import { createServerEndpoint, type EndpointOptions, type ServerEndpointImpl } from "indusagi/interop";
import { expect } from "vitest";
import { flakyHttp } from "../../fleet/flaky-http.ts";
import { watchedHttp } from "./watched-http.ts";

const LISTEN = "subscriptions/listen";
const soon = { timeout: 8000, interval: 10 };

async function opened(
  url: string,
  options: EndpointOptions = {},
): Promise<ServerEndpointImpl & AsyncDisposable> {
  const config = { kind: "streamable-http", id: "h", url, onMismatch: "fail" } as const;
  // Long, so that a change is seen through a notification and not through the repeated listing.
  const endpoint = createServerEndpoint(config, undefined, { relistMs: 600_000, ...options });
  await endpoint.open();
  return Object.assign(endpoint, { [Symbol.asyncDispose]: () => endpoint.close() });
}

verifies("http:listens-again", "a change during the gap and a change after it are both seen", async () => {
  await using server = await watchedHttp("modern");
  await using endpoint = await opened(server.url);
  expect(await endpoint.listTools()).toHaveLength(22);
  await expect.poll(() => server.open(LISTEN), soon).toBe(1);
  server.cut(LISTEN);
  server.scripted.manyTools = 1;
  await expect.poll(() => endpoint.status().toolCount, soon).toBe(23);
  expect(server.open(LISTEN)).toBe(1);
  server.scripted.manyTools = 2;
  server.tell(LISTEN, { jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  await expect.poll(() => endpoint.status().toolCount, soon).toBe(24);
  expect(endpoint.phase).toBe("ready");
});

verifies("http:listens-again", "a subscription that is refused for a while is requested again", async () => {
  await using server = await watchedHttp("modern");
  server.refused.set(LISTEN, 503);
  await using endpoint = await opened(server.url);
  expect(await endpoint.listTools()).toHaveLength(22);
  await expect.poll(() => server.asked.filter((method) => method === LISTEN).length, soon).toBeGreaterThan(1);
  expect(endpoint.status().notes?.join()).toContain("cannot subscribe to list changes");
  server.scripted.manyTools = 1;
  server.refused.clear();
  await expect.poll(() => endpoint.status().toolCount, soon).toBe(23);
});

verifies(
  "relay:cache-renewed",
  "reports are relied on only while they can arrive: without a subscription the tools are listed again on demand",
  async () => {
    await using server = await watchedHttp("modern");
    await using endpoint = await opened(server.url);
    await endpoint.listTools();
    const listings = (): number => server.asked.filter((method) => method === "tools/list").length;
    // The server reports changes, so that its answers that may not be cached are kept all the same.
    await expect
      .poll(async () => {
        const before = listings();
        await endpoint.toolHint();
        return listings() - before;
      }, soon)
      .toBe(0);
    server.refused.set(LISTEN, 503);
    server.cut(LISTEN);
    server.scripted.manyTools = 1;
    await expect
      .poll(async () => {
        await endpoint.toolHint();
        return endpoint.status().toolCount;
      }, soon)
      .toBe(23);
    expect(server.open(LISTEN)).toBe(0);
  },
);

verifies("http:listens-again", "no subscription is requested after the endpoint is closed", async () => {
  await using server = await watchedHttp("modern");
  const endpoint = await opened(server.url);
  await expect.poll(() => server.open(LISTEN), soon).toBe(1);
  await endpoint.close();
  await expect.poll(() => server.open(LISTEN), soon).toBe(0);
  await new Promise((resolve) => setTimeout(resolve, 400)); // Longer than the delay before the next attempt.
  expect(server.asked.filter((method) => method === LISTEN)).toHaveLength(1);
});

verifies(
  "http:listens-again",
  "legacy: a change during the loss of the stream is seen when the stream is open again",
  async () => {
    await using server = await watchedHttp("legacy");
    await using endpoint = await opened(server.url);
    expect(await endpoint.listTools()).toHaveLength(22);
    await expect.poll(() => server.open("GET"), soon).toBe(1);
    server.cut("GET");
    server.scripted.manyTools = 1;
    await expect.poll(() => endpoint.status().toolCount, soon).toBe(23);
    server.scripted.manyTools = 2;
    server.tell("GET", { jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    await expect.poll(() => endpoint.status().toolCount, soon).toBe(24);
    expect(endpoint.phase).toBe("ready");
  },
);

verifies(
  "http:listens-again",
  "legacy: a stream that cannot be opened for a while is opened in the end",
  async () => {
    await using server = await watchedHttp("legacy");
    server.refused.set("GET", 503);
    await using endpoint = await opened(server.url, { reopenMs: 50 });
    expect(await endpoint.listTools()).toHaveLength(22);
    await expect
      .poll(() => server.asked.filter((method) => method === "GET").length, soon)
      .toBeGreaterThan(2);
    server.refused.clear();
    await expect.poll(() => server.open("GET"), soon).toBe(1);
    server.scripted.manyTools = 1;
    server.tell("GET", { jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    await expect.poll(() => endpoint.status().toolCount, soon).toBe(23);
  },
);

verifies(
  "http:listens-again",
  "legacy: a server without such a stream is asked once, and nothing runs after the end",
  async () => {
    await using server = await watchedHttp("legacy");
    server.refused.set("GET", 405);
    const endpoint = await opened(server.url, { reopenMs: 10 });
    expect(await endpoint.listTools()).toHaveLength(22);
    const asked = (): number => server.asked.filter((method) => method === "GET").length;
    await expect.poll(asked, soon).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 100)); // Longer than the delay before the next attempt.
    expect(asked()).toBe(1);
    await endpoint.close();
  },
);

for (const era of ["legacy", "modern"] as const) {
  verifies("http:streams-end", `${era}: abandoned calls leave no stream open`, async () => {
    await using server = await watchedHttp(era);
    await using endpoint = await opened(server.url);
    const abort = new AbortController();
    const aborted = Array.from({ length: 20 }, (_, index) =>
      endpoint.invoke("silent", { hold: index % 2 === 0 }, { signal: abort.signal }),
    );
    await expect.poll(() => server.open("tools/call"), soon).toBe(20);
    const reason = new Error("enough");
    abort.abort(reason);
    for (const call of aborted) await expect(call).rejects.toBe(reason);
    await expect.poll(() => server.open("tools/call"), soon).toBe(0);
    expect(server.asked.filter((method) => method === "notifications/cancelled")).toHaveLength(
      era === "legacy" ? 20 : 0,
    );
    expect(await endpoint.invoke("echo", { text: "on" })).toMatchObject({ content: [{ text: "on" }] });
    expect([endpoint.phase, endpoint.status().notes]).toEqual(["ready", undefined]);
  });
}

verifies(
  "http:streams-end",
  "calls that time out leave no stream open, even if the server cannot be notified",
  async () => {
    await using server = await watchedHttp("legacy");
    await using endpoint = await opened(server.url, { timeouts: { callMs: 50 } });
    for (const status of [202, 500]) {
      server.refused.set("notifications/cancelled", status);
      await expect(endpoint.invoke("silent", {})).rejects.toMatchObject({ kind: "timeout" });
      await expect.poll(() => server.open("tools/call"), soon).toBe(0);
      expect(endpoint.phase).toBe("ready");
    }
  },
);

verifies("endpoint:deadline", "a repeated request gets only the remaining time", async () => {
  await using server = await flakyHttp("legacy");
  let left = 1;
  server.refuse = ({ method }) =>
    method === "tools/call" && left-- > 0 ? { status: 429, retryAfter: "1" } : undefined;
  await using endpoint = await opened(server.url, { timeouts: { callMs: 2600 } });
  const startMs = performance.now();
  await expect(endpoint.invoke("silent", {})).rejects.toMatchObject({
    kind: "timeout",
    message: 'server "h" did not answer tools/call within 2.6 s',
  });
  expect(performance.now() - startMs).toBeLessThan(3600);
  expect(server.asked.filter((method) => method === "tools/call")).toHaveLength(2);
});
