import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { exchange, type WebFetch } from "../../../../src/interop/host/stream/web-exchange.ts";

/** A listener that answers each request with this handler, and the errors it met. */
async function answering(handler: WebFetch, stalledMs = 10_000) {
  const thrown: unknown[] = [];
  const server = createServer((incoming, outgoing) => {
    exchange(incoming, outgoing, stalledMs, handler).catch((reason: unknown) => thrown.push(reason));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url, thrown, [Symbol.asyncDispose]: close };
}

/** The answer to a GET, before its body is read. */
async function ask(url: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const [response] = (await once(get(url, { headers }), "response")) as [IncomingMessage];
  return response;
}

const EVENTS = { headers: { "content-type": "text/event-stream" } };

verifies("host:streams", "a handler sees the method and headers, and its answer arrives whole", async () => {
  const seen: string[] = [];
  await using listener = await answering(async ({ method, headers }) => {
    seen.push(method, headers.get("x-one") ?? "", headers.get("x-many") ?? "");
    return Response.json({ fine: true }, { status: 201, headers: { "x-greeting": "hello" } });
  });
  const response = await fetch(listener.url, {
    method: "POST",
    headers: [
      ["x-one", "1"],
      ["x-many", "a"],
      ["x-many", "b"],
    ],
  });
  expect(seen).toEqual(["POST", "1", "a, b"]);
  expect(response.status).toBe(201);
  expect(response.headers.get("x-greeting")).toBe("hello");
  expect(await response.json()).toEqual({ fine: true });
});

verifies(
  "host:streams",
  "a client of a notification stream gets its headers before the first event",
  async () => {
    await using listener = await answering(async () => new Response(new ReadableStream(), EVENTS));
    const response = await ask(listener.url);
    expect(response.statusCode).toBe(200);
    response.destroy();
  },
);

verifies("host:streams", "a client that disconnects aborts its request and cancels its stream", async () => {
  let signal: AbortSignal | undefined;
  let isCancelled = false;
  const body = new ReadableStream({ cancel: () => void (isCancelled = true) });
  await using listener = await answering(async (request) => {
    signal = request.signal;
    return new Response(body, EVENTS);
  });
  const response = await ask(listener.url);
  expect(signal?.aborted).toBe(false);
  response.destroy();
  await expect.poll(() => [signal?.aborted, isCancelled]).toEqual([true, true]);
  expect(listener.thrown).toEqual([]);
});

verifies("host:streams", "a client that disconnects before it is answered cancels the answer", async () => {
  let answer: ((response: Response) => void) | undefined;
  let isAborted = false;
  let isCancelled = false;
  await using listener = await answering((request) => {
    request.signal.addEventListener("abort", () => (isAborted = true));
    return new Promise((resolve) => (answer = resolve));
  });
  const request = get(listener.url).on("error", () => {});
  await expect.poll(() => answer).toBeDefined();
  request.destroy();
  await expect.poll(() => isAborted).toBe(true);
  answer?.(new Response(new ReadableStream({ cancel: () => void (isCancelled = true) }), EVENTS));
  await expect.poll(() => isCancelled).toBe(true);
});

verifies("host:streams", "a stream that breaks does not look complete", async () => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from("half")),
    pull: (controller) => controller.error(new Error("broken off")),
  });
  await using listener = await answering(async () => new Response(body, EVENTS));
  const response = await ask(listener.url);
  response.resume();
  await expect(once(response, "end")).rejects.toThrow("aborted");
  expect(listener.thrown).toEqual([new Error("broken off")]);
});

verifies("host:streams", "a client that does not read is not written to endlessly", async () => {
  const chunk = Buffer.alloc(64 * 1024);
  let written = 0;
  const body = new ReadableStream({
    pull: (controller) => {
      written += chunk.length;
      if (written > 256 * 1024 * 1024) return controller.close();
      controller.enqueue(chunk);
    },
  });
  await using listener = await answering(async () => new Response(body, EVENTS));
  const response = await ask(listener.url);
  let before = -1;
  await expect.poll(() => before === (before = written), { interval: 100 }).toBe(true);
  expect(written).toBeLessThan(64 * 1024 * 1024);
  const held = written;
  response.once("data", () => {}).resume();
  await expect.poll(() => written).toBeGreaterThan(held);
  response.destroy();
});

verifies(
  "host:streams",
  "a client that reads nothing for too long is disconnected, an idle one is not",
  async () => {
    let isCancelled = false;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.alloc(1024 * 1024)),
      cancel: () => void (isCancelled = true),
    });
    const silent = new ReadableStream({
      start: (controller) => void setTimeout(() => controller.enqueue(Buffer.from("late")), 400),
    });
    await using listener = await answering(
      async ({ headers }) => new Response(headers.has("x-silent") ? silent : endless, EVENTS),
      100,
    );
    const unread = await ask(listener.url);
    const quiet = await ask(listener.url, { "x-silent": "1" });
    const [said] = (await once(quiet, "data")) as [Buffer];
    expect(said.toString()).toBe("late");
    await expect.poll(() => isCancelled).toBe(true);
    quiet.destroy();
    unread.destroy();
  },
);
