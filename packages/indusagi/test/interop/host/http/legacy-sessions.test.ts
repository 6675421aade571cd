import { setTimeout as sleep } from "node:timers/promises";
import { verifies } from "@indus/testkit";
import { createProviderHost, type HttpLimits, serveHttp, type TokenVerifier } from "indusagi/interop";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "../box-of.ts";
import {
  initialize,
  inSession,
  legacyCall,
  modernRequest,
  openSession,
  type RawAnswer,
  send,
  textOf,
} from "./raw-http.ts";

const verifier: TokenVerifier = { verify: (token) => ({ principal: token, audience: "any" }) };
const ALICE = { authorization: "Bearer alice" };
const BOB = { authorization: "Bearer bob" };

/** A listener whose tool `hang` runs until it is aborted, and whose tool `mine` returns the caller. */
async function listening(limits: Partial<HttpLimits> = {}, isGuarded = true) {
  const running = new Set<string>();
  const box = boxOf({
    mine: (_call, _signal, caller) => textResult(`${caller?.principal} ${caller?.key}`),
    hang: async (call, signal) => {
      running.add(call.id);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      running.delete(call.id);
      return textResult("ended");
    },
  });
  const listener = await serveHttp(createProviderHost(box), {
    port: 0,
    limits: { drainMs: 50, ...limits },
    ...(isGuarded ? { verifier } : {}),
  });
  return { ...listener, running, [Symbol.asyncDispose]: () => listener.close() };
}

verifies(
  "host-threats:foreign-session",
  "a session exists only for the principal that opened it",
  async () => {
    await using listener = await listening();
    const session = await openSession(listener.url, ALICE);
    const hanging = send(listener.url, {
      headers: { ...ALICE, ...inSession(session) },
      body: legacyCall(7, "hang"),
    });
    await expect.poll(() => listener.running.size).toBe(1);

    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
    const asBob = { ...BOB, ...inSession(session) };
    const foreign: RawAnswer[] = [
      await send(listener.url, { headers: asBob, body: legacyCall(1, "mine") }),
      await send(listener.url, { headers: asBob, body: cancelled }),
      await send(listener.url, { headers: { ...asBob, accept: "text/event-stream" }, method: "GET" }),
      await send(listener.url, { headers: { ...asBob, "last-event-id": "_GET_stream_1" }, method: "GET" }),
      await send(listener.url, { headers: asBob, method: "DELETE" }),
    ];
    for (const answer of foreign) {
      expect(answer.status).toBe(404);
      expect(answer.messages).toEqual([
        { jsonrpc: "2.0", error: { code: -32001, message: "Session not found" }, id: null },
      ]);
    }
    const anonymous = await send(listener.url, { headers: inSession(session), body: legacyCall(1, "mine") });
    expect(anonymous.status).toBe(401);

    expect(listener.running.size).toBe(1);
    const own = { ...ALICE, ...inSession(session) };
    expect(textOf(await send(listener.url, { headers: own, body: legacyCall(1, "mine") }))).toMatch(
      /^alice session_/,
    );
    await send(listener.url, { headers: own, body: cancelled });
    await expect.poll(() => listener.running.size).toBe(0);
    await send(listener.url, { headers: own, method: "DELETE" });
    await hanging.catch(() => {});
  },
);

verifies(
  "host-threats:foreign-session",
  "a cancelled request id affects no other client's request with that id",
  async () => {
    await using listener = await listening();
    const abort = new AbortController();
    const hang = modernRequest(7, "tools/call", { name: "hang" });
    const hanging = send(listener.url, {
      ...hang,
      headers: { ...ALICE, ...hang.headers },
      signal: abort.signal,
    });
    hanging.catch(() => {});
    await expect.poll(() => listener.running.size).toBe(1);
    const { headers, body } = modernRequest(7, "notifications/cancelled", { requestId: 7 });
    for (const who of [ALICE, BOB]) {
      const { id: _, ...notice } = body as { readonly id: number };
      await send(listener.url, { headers: { ...headers, ...who }, body: notice });
      const session = await openSession(listener.url, who);
      const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
      await send(listener.url, { headers: { ...who, ...inSession(session) }, body: cancelled });
    }
    expect(listener.running.size).toBe(1);
    abort.abort();
    await expect.poll(() => listener.running.size, { timeout: 5000 }).toBe(0);
  },
);

verifies(
  "host-threats:session-cap",
  "opened all at once, the sessions of a principal stay within the limit",
  async () => {
    await using listener = await listening({ sessionsPerPrincipal: 5, sessions: 8 });
    const open = async (who: typeof ALICE): Promise<number[]> =>
      (await Promise.all(Array.from({ length: 20 }, () => initialize(listener.url, who)))).map(
        ({ status }) => status,
      );
    const count = (statuses: readonly number[], status: number): number =>
      statuses.filter((each) => each === status).length;
    const alice = await open(ALICE);
    expect([count(alice, 200), count(alice, 429)]).toEqual([5, 15]);
    // For the next principal, the total limit applies.
    const bob = await open(BOB);
    expect([count(bob, 200), count(bob, 429)]).toEqual([3, 17]);
    const refused = await initialize(listener.url, ALICE);
    expect(refused.headers["retry-after"]).toBeDefined();
    // Modern requests need no session and are still served.
    const modern = modernRequest(1, "tools/call", { name: "mine" });
    expect((await send(listener.url, { ...modern, headers: { ...modern.headers, ...ALICE } })).status).toBe(
      200,
    );
  },
);

verifies("host-threats:session-cap", "an ended session makes space for another", async () => {
  await using listener = await listening({ sessionsPerPrincipal: 1 });
  for (let round = 0; round < 3; round += 1) {
    const session = await openSession(listener.url, ALICE);
    expect((await initialize(listener.url, ALICE)).status).toBe(429);
    const own = { ...ALICE, ...inSession(session) };
    expect((await send(listener.url, { headers: own, method: "DELETE" })).status).toBe(200);
    expect((await send(listener.url, { headers: own, body: legacyCall(1, "mine") })).status).toBe(404);
  }
});

verifies("host-threats:session-cap", "an initialize that is refused leaves no session behind", async () => {
  await using listener = await listening({ sessionsPerPrincipal: 1 });
  const start = { jsonrpc: "2.0", id: 0, method: "initialize" };
  for (const body of [
    start,
    { ...start, params: { protocolVersion: 7 } },
    [start, legacyCall(1, "mine")],
    [start, start],
  ])
    await send(listener.url, { headers: ALICE, body });
  expect((await send(listener.url, { headers: { ...ALICE, accept: "text/html" }, body: start })).status).toBe(
    406,
  );
  await openSession(listener.url, ALICE);
});

verifies(
  "host-threats:session-idle",
  "an unused session is ended with all that runs in it; one in use is not",
  async () => {
    await using listener = await listening({ sessionIdleMs: 500, sessionsPerPrincipal: 2 });
    const left = await openSession(listener.url, ALICE);
    const used = await openSession(listener.url, ALICE);
    const asUser = { ...ALICE, ...inSession(used) };
    const abort = new AbortController();
    const stream = send(listener.url, { headers: asUser, method: "GET", signal: abort.signal });
    stream.catch(() => {});
    const lost = new AbortController();
    const abandoned = send(listener.url, {
      headers: { ...ALICE, ...inSession(left) },
      body: legacyCall(1, "hang"),
      signal: lost.signal,
    });
    abandoned.catch(() => {});
    await expect.poll(() => listener.running.size).toBe(1);
    lost.abort();
    // The call outlives its connection, for a client that returns, but not its session.
    await expect.poll(() => listener.running.size, { timeout: 10_000 }).toBe(0);
    const gone = await send(listener.url, {
      headers: { ...ALICE, ...inSession(left) },
      body: legacyCall(2, "mine"),
    });
    expect(gone.status).toBe(404);
    expect(textOf(await send(listener.url, { headers: asUser, body: legacyCall(2, "mine") }))).toContain(
      "alice",
    );
    abort.abort();
  },
);

verifies(
  "host-threats:session-idle",
  "another principal that knows its id does not keep a session alive",
  async () => {
    await using listener = await listening({ sessionIdleMs: 200 });
    const session = await openSession(listener.url, ALICE);
    for (let round = 0; round < 12; round += 1) {
      expect(
        (
          await send(listener.url, {
            headers: { ...BOB, ...inSession(session) },
            body: legacyCall(1, "mine"),
          })
        ).status,
      ).toBe(404);
      await sleep(50);
    }
    const own = { ...ALICE, ...inSession(session) };
    expect((await send(listener.url, { headers: own, body: legacyCall(1, "mine") })).status).toBe(404);
  },
);

verifies(
  "host-threats:anonymous",
  "an anonymous session cannot be taken over by a named principal",
  async () => {
    await using listener = await listening({}, false);
    const session = await openSession(listener.url);
    const answer = await send(listener.url, {
      headers: { ...ALICE, ...inSession(session) },
      body: legacyCall(1, "mine"),
    });
    // No token is checked here, so the name in it is ignored.
    expect(textOf(answer)).toMatch(/^undefined session_/);
    expect(
      (await send(listener.url, { headers: inSession(`${session}x`), body: legacyCall(1, "mine") })).status,
    ).toBe(404);
    expect(
      (await send(listener.url, { headers: inSession(session.slice(0, 26)), body: legacyCall(1, "mine") }))
        .status,
    ).toBe(404);
  },
);

verifies("host-threats:session-cap", "at the limit, an unused session is ended to make space", async () => {
  await using listener = await listening({ sessionsPerPrincipal: 3, sessionSparedMs: 0 });
  const running = await openSession(listener.url, ALICE);
  const other = await openSession(listener.url, ALICE);
  const used = await openSession(listener.url, ALICE);
  const call = (session: string, name: string, signal?: AbortSignal): Promise<RawAnswer> =>
    send(listener.url, {
      headers: { ...ALICE, ...inSession(session) },
      body: legacyCall(name === "hang" ? 1 : 2, name),
      ...(signal ? { signal } : {}),
    });
  const lost = new AbortController();
  call(running, "hang", lost.signal).catch(() => {});
  await expect.poll(() => listener.running.size).toBe(1);
  lost.abort();
  expect((await call(used, "mine")).status).toBe(200);
  // The session that was used longest ago is ended, unless a call runs in it.
  expect((await initialize(listener.url, ALICE)).status).toBe(200);
  expect((await call(other, "mine")).status).toBe(404);
  expect((await call(used, "mine")).status).toBe(200);
  expect((await call(running, "mine")).status).toBe(200);
  expect(listener.running.size).toBe(1);
});

verifies("host-threats:call-cap", "calls in a batch and calls whose stream is lost count too", async () => {
  await using listener = await listening({ requestsPerPrincipal: 4 });
  const headers = { ...ALICE, ...inSession(await openSession(listener.url, ALICE)) };
  for (let round = 0; round < 3; round += 1) {
    const lost = new AbortController();
    const body = Array.from({ length: 10 }, (_, at) => legacyCall(round * 10 + at + 1, "hang"));
    let heard = "";
    const onText = (text: string): void => void (heard += text);
    send(listener.url, { headers, body, signal: lost.signal, onText }).catch(() => {});
    await expect.poll(() => heard).toContain("too many calls are running");
    lost.abort();
    expect(listener.running.size).toBe(4);
  }
  const other = { ...BOB, ...inSession(await openSession(listener.url, BOB)) };
  expect((await send(listener.url, { headers: other, body: legacyCall(1, "mine") })).status).toBe(200);
});

verifies(
  "host-threats:session-cap",
  "without a verifier the clients share the limit of all sessions, and a refusal says how to raise it",
  async () => {
    const reports: string[] = [];
    const host = createProviderHost(
      boxOf({}),
      undefined,
      {},
      {
        report: (message) => void reports.push(message),
      },
    );
    const options = { port: 0, limits: { sessions: 130 }, sessionsHint: "ask the owner" };
    const { url, close } = await serveHttp(host, options);
    await using listener = { url, [Symbol.asyncDispose]: close };
    const statuses = await Promise.all(
      Array.from({ length: 130 }, async () => (await initialize(listener.url, {})).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(130);
    for (let round = 0; round < 2; round += 1) {
      const refused = await initialize(listener.url, {});
      expect(refused.status).toBe(429);
      expect(refused.text).toContain("the limit is 130 in all); end one (DELETE) first, or ask the owner");
    }
    expect(reports.filter((message) => message.includes("the limit is 130"))).toHaveLength(1);
  },
);
