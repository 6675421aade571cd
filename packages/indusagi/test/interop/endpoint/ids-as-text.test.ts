import { verifies } from "@indus/testkit";
import {
  createServerEndpoint,
  type InjectedTransport,
  linkedTransports,
  type RpcMessage,
  type ServerConfig,
} from "indusagi/interop";
import { expect } from "vitest";
import { createServer, serveHttp } from "../../../../../test/servers/server.mjs";
import { inProcess, scripted } from "../kit/scripted.ts";
import { sseServer } from "./connect/sse-server.ts";

interface Reached extends AsyncDisposable {
  readonly config: ServerConfig;
  readonly transport?: InjectedTransport;
}

const nothing = async (): Promise<void> => {};

async function overHttp(era: "legacy" | "modern", errorStatus: number): Promise<Reached> {
  const server = await serveHttp({ era, textIds: true, errorStatus });
  const config: ServerConfig = { kind: "streamable-http", id: "s", url: server.url };
  return { config, [Symbol.asyncDispose]: () => server.close() };
}

const WAYS: { readonly [way: string]: () => Promise<Reached> } = {
  "a linked transport": async () => ({
    config: { kind: "stdio", id: "s", command: "unused" },
    transport: inProcess({ era: "legacy", textIds: true }),
    [Symbol.asyncDispose]: nothing,
  }),
  "stdio, legacy": async () => ({
    config: scripted("s", "--era", "legacy", "--text-ids"),
    [Symbol.asyncDispose]: nothing,
  }),
  "stdio, modern": async () => ({
    config: scripted("s", "--era", "modern", "--text-ids"),
    [Symbol.asyncDispose]: nothing,
  }),
  "HTTP, legacy": () => overHttp("legacy", 200),
  "HTTP, modern": () => overHttp("modern", 200),
  "HTTP, modern, errors with status 400": () => overHttp("modern", 400),
  "the older HTTP transport": async () => {
    const server = await sseServer({ textIds: true });
    return {
      config: { kind: "sse", id: "s", url: server.url },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
};

for (const [way, reach] of Object.entries(WAYS))
  verifies("endpoint:text-ids", `${way}: handshake, listing, results, errors and progress`, async () => {
    await using reached = await reach();
    const endpoint = createServerEndpoint(reached.config, reached.transport, {
      timeouts: { connectMs: 60_000, callMs: 60_000 },
    });
    try {
      await endpoint.open();
      expect(await endpoint.listTools()).toHaveLength(22);
      const notes: unknown[] = [];
      const options = { onProgress: (note: unknown) => notes.push(note) };
      const slow = await endpoint.invoke("slow", { ms: 60, stepMs: 10 }, options);
      expect(slow.content).toMatchObject([{ text: "done" }]);
      expect(notes[0]).toMatchObject({ progress: 1, message: "step 1" });
      await expect(endpoint.invoke("refuse", {})).rejects.toMatchObject({ rpc: { code: -32042 } });
      const told = endpoint.status().notes?.filter((note) => note.includes('"7" instead of 7'));
      expect(told).toHaveLength(1);
    } finally {
      await endpoint.close();
    }
  });

verifies("endpoint:text-ids", 'a server may withdraw its question 7 as "7"', async () => {
  const [ours, theirs] = linkedTransports();
  const receive = createServer((message: RpcMessage) => void theirs.send(message), { era: "legacy" });
  theirs.onmessage = (message) => receive(message);
  await theirs.start();
  const asked: AbortSignal[] = [];
  const endpoint = createServerEndpoint({ kind: "stdio", id: "s", command: "unused" }, ours, {
    answers: {
      can: { elicit: { form: true } },
      ask: (_, signal) => {
        if (signal) asked.push(signal);
        return new Promise(() => {});
      },
    },
  });
  await endpoint.open();
  const call = endpoint.invoke("silent", {});
  await theirs.send({ jsonrpc: "2.0", id: 7, method: "elicitation/create", params: { message: "?" } });
  await expect.poll(() => asked.length).toBe(1);
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled" } as const;
  await theirs.send({ ...cancelled, params: { requestId: "07" } });
  await theirs.send({ ...cancelled, params: { requestId: "7" } });
  await expect.poll(() => asked[0]?.aborted).toBe(true);
  await endpoint.close();
  await expect(call).rejects.toThrow();
});
