import { setMaxListeners } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { atSize, machinePace, median, recordFigure, verifies } from "@indus/testkit";
import { createProviderHost, type HttpListener, serveHttp } from "indusagi/interop";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "../box-of.ts";
import { inSession, legacyCall, openSession, send, textOf } from "../http/raw-http.ts";

const SESSIONS = atSize({ quick: 20, full: 1_000 });
const ABUSIVE = atSize({ quick: 8, full: 100 });
const HEADERS_MS = atSize({ quick: 250, full: 2_000 });
const REQUEST_MS = 2 * HEADERS_MS;

interface SlowClient {
  /** Everything received until the connection was closed. */
  readonly closed: Promise<string>;
  end(): void;
}

/** A connection that sends this, and then a byte from time to time. */
function dribble(port: number, start: string, drip: string): SlowClient {
  let heard = "";
  const socket: Socket = connect(port, "127.0.0.1", () => socket.write(start));
  const dripping = setInterval(() => socket.write(drip), 50);
  socket.on("data", (data: Buffer) => (heard += data.toString("latin1")));
  socket.on("error", () => {});
  const closed = new Promise<string>((resolve) => {
    socket.once("close", () => (clearInterval(dripping), resolve(heard)));
  });
  return { closed, end: () => socket.destroy() };
}

const HEAD = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
const SLOW: readonly ((port: number) => SlowClient)[] = [
  (port) => dribble(port, "POST /mcp HTTP/1.1\r\n", "X"),
  (port) => dribble(port, HEAD, "X-Again: 1\r\n"),
  (port) => dribble(port, `${HEAD}Content-Length: 100000\r\n\r\n{`, " "),
  (port) => dribble(port, `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, "1\r\n \r\n"),
];

async function listening(limits = {}): Promise<HttpListener> {
  const box = boxOf({ echo: ({ input }) => textResult(JSON.stringify(input)) });
  return serveHttp(createProviderHost(box), {
    port: 0,
    limits: {
      headersMs: HEADERS_MS,
      requestMs: REQUEST_MS,
      sessionsPerPrincipal: SESSIONS + ABUSIVE,
      sessions: SESSIONS + ABUSIVE,
      streamsPerPrincipal: SESSIONS + ABUSIVE,
      ...limits,
    },
  });
}

/** Each session makes a call, a few at a time; returns the durations. */
async function callAll(url: string, sessions: readonly string[]): Promise<number[]> {
  const took: number[] = [];
  const waiting = [...sessions.entries()];
  const worker = async (): Promise<void> => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [id, session] = next;
      const started = performance.now();
      const answer = await send(url, { headers: inSession(session), body: legacyCall(id, "echo", { id }) });
      took.push(performance.now() - started);
      expect(textOf(answer)).toBe(`{"id":${id}}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return took;
}

function percentile99(figures: readonly number[]): number {
  return [...figures].sort((a, b) => a - b)[Math.floor(figures.length * 0.99)] ?? 0;
}

verifies(
  "host-threats:slow-clients",
  "among abusive clients of every kind the good ones are served as before, and the abusive ones are disconnected",
  async () => {
    const { url, port, close } = await listening();
    const sessions: string[] = [];
    for (let at = 0; at < SESSIONS; at += 1) sessions.push(await openSession(url));
    await callAll(url, sessions);
    const pace = await machinePace();
    const before = await callAll(url, sessions);

    const abort = new AbortController();
    setMaxListeners(0, abort.signal);
    const listeners = await Promise.all(Array.from({ length: ABUSIVE }, () => openSession(url)));
    for (const session of listeners)
      send(url, { method: "GET", headers: inSession(session), signal: abort.signal }).catch(() => {});
    const slow = Array.from({ length: ABUSIVE / SLOW.length }, () => SLOW.map((start) => start(port))).flat();
    const meanwhile = await callAll(url, sessions);
    const [calm, troubled] = [percentile99(before), percentile99(meanwhile)];
    await pace.check(meanwhile, { hangMs: 20_000, medianMs: 2 * median(before) + 20 });

    const ends = await Promise.all(slow.map(({ closed }) => closed));
    for (const end of ends) expect(end).toMatch(/^HTTP\/1\.1 408 |^$/);
    abort.abort();
    await close();
    recordFigure({
      what: "B30 slow headers, slow bodies, idle streams",
      size: `${SESSIONS} sessions, ${2 * ABUSIVE} abusive clients`,
      found: `p99 ${calm.toFixed(1)} ms alone, ${troubled.toFixed(1)} ms among them; all slow ones cut off`,
    });
  },
  { timeoutMs: 240_000 },
);

verifies(
  "host-threats:slow-clients",
  "connections at their limit: one more is refused, and closed ones are freed",
  async () => {
    const { url, port, close } = await listening({ connections: 4 });
    const held = Array.from({ length: 4 }, () => dribble(port, HEAD, ""));
    await sleep(100);
    await expect(openSession(url)).rejects.toThrow();
    for (const client of held) client.end();
    await Promise.all(held.map((client) => client.closed));
    await expect
      .poll(
        () =>
          openSession(url).then(
            () => "served",
            () => "refused",
          ),
        { timeout: 5000 },
      )
      .toBe("served");
    await close();
  },
);
