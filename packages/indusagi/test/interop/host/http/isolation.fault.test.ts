import { setTimeout as sleep } from "node:timers/promises";
import { atSize, recordFigure, verifies } from "@indus/testkit";
import { createProviderHost, type HttpListener, type ProtocolEra, serveHttp } from "indusagi/interop";
import { failureResult, type ToolBox, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "../box-of.ts";
import { hostPair } from "../host-pair.ts";
import { inSession, legacyCall, modernRequest, openSession, type RawRequest, send } from "./raw-http.ts";

const CLIENTS = atSize({ quick: 30, full: 300 });
const ROUNDS = atSize({ quick: 2, full: 12 });
/** Concurrent calls of one client; all clients use the same ids. */
const AT_ONCE = 3;

/** A secret that only its own client may receive. */
interface Secret {
  readonly client: number;
  readonly id: number;
  readonly text: string;
}

/** The tool sends the secret as progress, waits, sends it again and answers with it. */
function whisperingBox(clientsOfKey: Map<string, Set<unknown>>): ToolBox {
  return boxOf({
    whisper: async ({ input }, signal, caller) => {
      const { secret, delayMs, client } = input as { secret: string; delayMs: number; client: number };
      const key = caller?.key ?? "";
      clientsOfKey.set(key, (clientsOfKey.get(key) ?? new Set()).add(client));
      caller?.progress?.({ progress: 1, message: secret });
      await sleep(delayMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return failureResult(secret);
      caller?.progress?.({ progress: 2, message: secret });
      return textResult(secret);
    },
  });
}

/** Each secret in a text, in any encoding. */
function secretsIn(text: string): string[] {
  return text.match(/secret-\d+-\d+-\d+/g) ?? [];
}

function argsFor({ client, text }: Secret): { secret: string; delayMs: number; client: number } {
  return { secret: text, delayMs: Math.random() * 30, client };
}

/** Sends a client's secrets over HTTP and returns what it received for each. Every third call is cancelled. */
async function whisperOverHttp(url: string, secrets: readonly Secret[], session?: string): Promise<string[]> {
  return Promise.all(
    secrets.map(async (secret) => {
      let heard = "";
      const abort = new AbortController();
      const calling = send(url, {
        ...callOf(secret, session),
        signal: abort.signal,
        onText: (text) => (heard += text),
      });
      const isCancelled = Math.random() < 1 / 3;
      if (isCancelled) void cancelSoon(url, secret, abort, session);
      const answer = await calling.catch(() => undefined);
      if (!isCancelled) expect(answer?.status, secret.text).toBe(200);
      if (!isCancelled) expect(heard.match(/"result"/g)?.length, heard).toBe(1);
      for (const { id, params } of answer?.messages ?? []) {
        if (id !== undefined) expect(id).toBe(secret.id);
        if (params) expect(params["progressToken"]).toBe(secret.id);
      }
      return heard;
    }),
  );
}

function callOf(secret: Secret, session: string | undefined): RawRequest {
  const meta = { progressToken: secret.id };
  if (session !== undefined)
    return { headers: inSession(session), body: legacyCall(secret.id, "whisper", argsFor(secret), meta) };
  return modernRequest(secret.id, "tools/call", { name: "whisper", arguments: argsFor(secret), _meta: meta });
}

async function cancelSoon(
  url: string,
  { id }: Secret,
  abort: AbortController,
  session: string | undefined,
): Promise<void> {
  await sleep(Math.random() * 30);
  const body = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } };
  // Its answer, and with it the end of the listener, may have come long before.
  if (session !== undefined) await send(url, { headers: inSession(session), body }).catch(() => {});
  abort.abort();
}

/** One client: rounds of calls with the same ids, and in the legacy era a stream that must stay silent. */
async function liveOverHttp({ url }: HttpListener, client: number, era: ProtocolEra): Promise<number> {
  const session = era === "legacy" ? await openSession(url) : undefined;
  const abort = new AbortController();
  let overheard = "";
  if (session !== undefined)
    send(url, {
      method: "GET",
      headers: inSession(session),
      signal: abort.signal,
      onText: (text) => (overheard += text),
    }).catch(() => {});
  for (let round = 0; round < ROUNDS; round += 1) {
    const secrets = secretsOf(client, round);
    const heard = await whisperOverHttp(url, secrets, session);
    for (const [at, secret] of secrets.entries())
      expect(new Set([secret.text, ...secretsIn(heard[at] ?? "")]).size).toBe(1);
  }
  abort.abort();
  expect(secretsIn(overheard)).toEqual([]);
  return ROUNDS * AT_ONCE;
}

function secretsOf(client: number, round: number): Secret[] {
  return Array.from({ length: AT_ONCE }, (_, at) => ({
    client,
    id: round * AT_ONCE + at + 1,
    text: `secret-${client}-${round}-${at}`,
  }));
}

function expectNoKeyIsShared(clientsOfKey: Map<string, Set<unknown>>): void {
  for (const [key, clients] of clientsOfKey) expect(clients.size, key).toBe(1);
}

verifies(
  "host-threats:isolation",
  "over HTTP, both eras on one listener: no client gets an answer or progress of another",
  async () => {
    const clientsOfKey = new Map<string, Set<unknown>>();
    const listener = await serveHttp(createProviderHost(whisperingBox(clientsOfKey)), {
      port: 0,
      limits: {
        sessionsPerPrincipal: CLIENTS,
        streamsPerPrincipal: CLIENTS,
        requestsPerPrincipal: CLIENTS * AT_ONCE * 2,
        // Many clients and the host share one process, so no time limit applies here.
        headersMs: 60_000,
        requestMs: 60_000,
      },
    });
    const lives = Array.from({ length: CLIENTS }, (_, client) =>
      liveOverHttp(listener, client, client % 2 === 0 ? "legacy" : "modern"),
    );
    const calls = (await Promise.all(lives)).reduce((sum, each) => sum + each, 0);
    await listener.close();
    expectNoKeyIsShared(clientsOfKey);
    recordFigure({
      what: "equal ids over HTTP, both eras",
      size: `${CLIENTS} clients, ${calls} calls`,
      found: "0 foreign answers or notes",
    });
  },
  { timeoutMs: 300_000 },
);

verifies(
  "host-threats:isolation",
  "over separate connections to one host: no client gets an answer or progress of another",
  async () => {
    const clientsOfKey = new Map<string, Set<unknown>>();
    const box = whisperingBox(clientsOfKey);
    const host = createProviderHost(box);
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        await using pair = await hostPair(client % 2 === 0 ? "legacy" : "modern", box, { host });
        for (let round = 0; round < ROUNDS; round += 1)
          await Promise.all(secretsOf(client, round).map((secret) => whisperTo(pair.endpoint, secret)));
      }),
    );
    expectNoKeyIsShared(clientsOfKey);
    expect(clientsOfKey.size).toBe(CLIENTS);
    recordFigure({
      what: "equal ids over linked pairs, both eras",
      size: `${CLIENTS} clients, ${CLIENTS * ROUNDS * AT_ONCE} calls`,
      found: "0 foreign answers or notes",
    });
  },
  { timeoutMs: 300_000 },
);

type Endpoint = Awaited<ReturnType<typeof hostPair>>["endpoint"];

async function whisperTo(endpoint: Endpoint, secret: Secret): Promise<void> {
  const heard: unknown[] = [];
  const abort = new AbortController();
  const isCancelled = Math.random() < 1 / 3;
  if (isCancelled) setTimeout(() => abort.abort(), Math.random() * 30);
  const calling = endpoint.invoke("whisper", argsFor(secret), {
    signal: abort.signal,
    onProgress: (note) => heard.push(note),
  });
  const answer = await (isCancelled ? calling.catch(() => undefined) : calling);
  if (answer) heard.push(answer.content);
  expect(new Set([secret.text, ...secretsIn(JSON.stringify(heard))]).size).toBe(1);
  if (!isCancelled) expect(answer?.content).toEqual([{ type: "text", text: secret.text }]);
}
