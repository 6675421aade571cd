import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { modernRequest, send, textOf } from "../packages/indusagi/test/interop/host/http/raw-http.ts";
import type { Cluster } from "./set-up.ts";

/** How a counted call ended for its client. */
type Outcome =
  /** It was answered. */
  | "ok"
  /** It failed, and the text says that it may have run. */
  | "maybe"
  /** It failed, and the text says that it did not run. */
  | "not run"
  /** It failed, and nothing is said about that. */
  | "unsaid"
  /** Nothing came. */
  | "hung"
  /** The gateway itself ended, which cancels its calls, or was not there. */
  | "no gateway";

export interface CountedCall {
  readonly id: string;
  readonly outcome: Outcome;
  readonly text: string;
  readonly tookMs: number;
}

export interface CallersOptions {
  /** The addresses of gateways, asked in turn. */
  readonly urls: () => readonly string[];
  readonly servers: readonly string[];
  readonly callers: number;
  /** A call waits up to this long in the server. */
  readonly waitMs: number;
}

/** Calls in loops until it is disposed of. */
export interface Callers {
  readonly calls: readonly CountedCall[];
  /** Waits for the answers under way. */
  stop(): Promise<readonly CountedCall[]>;
}

/** Longer than a lease and the search for a worker. */
const HUNG_MS = 90_000;

/** Clients of the newer protocol. Each call has a new id and goes to the next gateway. */
export function startCallers(cluster: Cluster, { urls, servers, callers, waitMs }: CallersOptions): Callers {
  const calls: CountedCall[] = [];
  const over = new AbortController();
  let next = 0;
  const run = async (caller: number): Promise<void> => {
    for (let round = 0; !over.signal.aborted; round++) {
      const all = urls();
      const url = all[next++ % all.length] ?? "";
      const server = servers[(caller + round) % servers.length] ?? "";
      const id = `${caller}.${round}.${server}`;
      calls.push(await countedCall(url, { token: cluster.token, server, id, waitMs: randomInt(waitMs + 1) }));
      // A gateway that is not there refuses at once.
      if (calls.at(-1)?.outcome === "no gateway") await pause(20);
    }
  };
  const running = Promise.all(Array.from({ length: callers }, (_, caller) => run(caller)));
  return {
    calls,
    stop: async () => {
      over.abort();
      await running;
      return calls;
    },
  };
}

interface CountedRequest {
  readonly token: string;
  readonly server: string;
  readonly id: string;
  readonly waitMs: number;
}

async function countedCall(url: string, { token, server, id, waitMs }: CountedRequest): Promise<CountedCall> {
  const startMs = performance.now();
  const params = { name: `${server}__count`, arguments: { id, waitMs } };
  const request = modernRequest(1, "tools/call", params);
  const told = (outcome: Outcome, text: string): CountedCall => ({
    id,
    outcome,
    text,
    tookMs: performance.now() - startMs,
  });
  try {
    const answer = await send(url, {
      body: request.body,
      headers: { ...request.headers, authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(HUNG_MS),
    });
    const isError = answer.messages.some(({ error, result }) => error || result?.["isError"] === true);
    if (answer.status === 200 && !isError && textOf(answer) === id) return told("ok", "");
    const [message] = answer.messages;
    const text = textOf(answer) ?? message?.error?.message ?? `HTTP ${answer.status} ${answer.text}`;
    if (answer.status === 503) return told("no gateway", text);
    const said = saidIn(text);
    // A gateway that is cut off knows no tokens. Of a call that it ended it says more.
    const isRefused = answer.status === 401 && said === "unsaid";
    return told(isRefused ? "not run" : said, text);
  } catch (thrown) {
    const { name, message } = thrown as Error;
    const isLate = name === "AbortError" || name === "TimeoutError";
    return told(isLate ? "hung" : "no gateway", message);
  }
}

function saidIn(text: string): Outcome {
  if (/may have run/.test(text)) return "maybe";
  return /not sent|did not run|has no worker|is not ready|not connected/.test(text) ? "not run" : "unsaid";
}

export interface Tally {
  readonly calls: number;
  readonly ok: number;
  readonly maybe: number;
  readonly notRun: number;
  readonly unsaid: number;
  readonly hung: number;
  readonly noGateway: number;
  /** Ids that ran more than once. */
  readonly twice: readonly string[];
  /** Calls said not to have run that did. */
  readonly ranAfterAll: readonly string[];
  /** Answered calls without a side effect. */
  readonly lost: readonly string[];
  /** Failures in words, each once, with how many there were. */
  readonly texts: readonly string[];
}

/** Compares what clients were told with what ran. */
export function tallyOf(calls: readonly CountedCall[], ran: readonly string[]): Tally {
  const times = new Map<string, number>();
  for (const id of ran) times.set(id, (times.get(id) ?? 0) + 1);
  const count = (outcome: Outcome): number => calls.filter((call) => call.outcome === outcome).length;
  const texts = new Map<string, number>();
  for (const { outcome, text } of calls)
    if (outcome !== "ok") {
      const shown = `${outcome}: ${text.slice(0, 500)}`;
      texts.set(shown, (texts.get(shown) ?? 0) + 1);
    }
  return {
    calls: calls.length,
    ok: count("ok"),
    maybe: count("maybe"),
    notRun: count("not run"),
    unsaid: count("unsaid"),
    hung: count("hung"),
    noGateway: count("no gateway"),
    twice: [...times].filter(([, often]) => often > 1).map(([id]) => id),
    ranAfterAll: calls
      .filter(({ outcome, id }) => outcome === "not run" && times.has(id))
      .map(({ id }) => id),
    lost: calls.filter(({ outcome, id }) => outcome === "ok" && !times.has(id)).map(({ id }) => id),
    texts: [...texts].sort((a, b) => b[1] - a[1]).map(([text, often]) => `${often}× ${text}`),
  };
}
