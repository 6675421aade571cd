import { verifies } from "@indus/testkit";
import { createProviderHost, type HttpLimits, serveHttp } from "indusagi/interop";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "../../box-of.ts";
import {
  inSession,
  legacyCall,
  modernRequest,
  openSession,
  type RawRequest,
  send,
  textOf,
} from "./raw-http.ts";

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
