import { verifies } from "@indus/testkit";
import { createProviderHost, type HttpLimits, type HttpListener, serveHttp } from "indusagi/interop";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "../box-of.ts";
import {
  inSession,
  legacyCall,
  modernRequest,
  openSession,
  type RawRequest,
  send,
  textOf,
} from "./raw-http.ts";

type RawHeaders = NonNullable<RawRequest["headers"]>;

/** A listener with one tool that runs until it is released or aborted. */
async function listening(limits: Partial<HttpLimits> = {}) {
  let letGo: () => void = () => {};
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const state = { started: 0, aborted: 0 };
  const box = boxOf({
    waits: async (_call, signal) => {
      state.started += 1;
      await Promise.race([gate, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
      if (signal.aborted) state.aborted += 1;
      return textResult("finished");
    },
  });
  const listener = await serveHttp(createProviderHost(box), { port: 0, limits });
  return { ...listener, state, letGo };
}

const CALLS: { readonly [era: string]: (url: string) => Promise<RawRequest> } = {
  legacy: async (url) => ({ headers: inSession(await openSession(url)), body: legacyCall(1, "waits") }),
  modern: async () => modernRequest(1, "tools/call", { name: "waits" }),
};

for (const [era, callOn] of Object.entries(CALLS)) {
  verifies(
    "host-threats:drain",
    `${era}: a running call finishes, nothing new starts, then all is closed`,
    async () => {
      const listener = await listening({ drainMs: 10_000 });
      const idle = send(listener.url, { method: "GET", headers: inSession(await openSession(listener.url)) });
      const running = send(listener.url, await callOn(listener.url));
      await expect.poll(() => listener.state.started).toBe(1);
      let isClosed = false;
      const closing = listener.close().then(() => (isClosed = true));
      await expect(send(listener.url, await callOn(listener.url).catch(() => ({})))).rejects.toThrow();
      expect(isClosed).toBe(false);
      listener.letGo();
      expect(textOf(await running)).toBe("finished");
      await closing;
      await idle.catch(() => {});
      expect(listener.state).toEqual({ started: 1, aborted: 0 });
    },
  );

  verifies("host-threats:drain", `${era}: a call that hangs is ended when the time is up`, async () => {
    const listener = await listening({ drainMs: 100 });
    const hanging = send(listener.url, await callOn(listener.url));
    hanging.catch(() => {});
    await expect.poll(() => listener.state.started).toBe(1);
    const started = performance.now();
    await listener.close();
    expect(performance.now() - started).toBeGreaterThan(90);
    expect(listener.state.aborted).toBe(1);
    await hanging.catch(() => {});
    await listener.close();
  });
}

const ENDS: { readonly [how: string]: (listener: HttpListener, headers: RawHeaders) => Promise<unknown> } = {
  listener: ({ close }) => close(),
  session: ({ url }, headers) => send(url, { method: "DELETE", headers }),
};

for (const [what, end] of Object.entries(ENDS))
  verifies("host-threats:drain", `a call that ends with its ${what} is answered`, async () => {
    const listener = await listening({ drainMs: 100 });
    const headers = inSession(await openSession(listener.url));
    // The second client gets plain JSON.
    const older = { ...headers, "mcp-protocol-version": "2025-06-18" };
    const hanging = [headers, older].map((each, at) =>
      send(listener.url, { headers: each, body: legacyCall(at, "waits") }),
    );
    await expect.poll(() => listener.state.started).toBe(2);
    await end(listener, headers);
    const message = expect.stringContaining("session ended before the answer");
    for (const [id, answer] of (await Promise.all(hanging)).entries())
      expect(answer.messages).toEqual([{ jsonrpc: "2.0", id, error: { code: -32000, message } }]);
    await listener.close();
    expect(listener.state.aborted).toBe(2);
  });

verifies("host-threats:drain", "a call whose client has lost the stream finishes too", async () => {
  const listener = await listening({ drainMs: 10_000 });
  const lost = new AbortController();
  const headers = inSession(await openSession(listener.url));
  send(listener.url, { headers, body: legacyCall(1, "waits"), signal: lost.signal }).catch(() => {});
  await expect.poll(() => listener.state.started).toBe(1);
  lost.abort();
  let isClosed = false;
  const closing = listener.close().then(() => (isClosed = true));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isClosed).toBe(false);
  listener.letGo();
  await closing;
  expect(listener.state).toEqual({ started: 1, aborted: 0 });
});
