import { createServerEndpoint } from "indusagi/interop";
import type { EvilOptions } from "../../../../../test/servers/evil.mjs";
import type { EvilHttpServer } from "../../../../../test/servers/evil-http.mjs";
import { act, evil, evilInProcess, type OpenEndpoint, opened } from "./evil.ts";
import type { TcpProxy } from "./tcp-proxy.ts";
import { openedThrough } from "./through-proxy.ts";

/** What a fault of the campaign can use. */
interface Ground {
  readonly server: EvilHttpServer;
  readonly proxy: TcpProxy;
  /** A random integer below the bound, from the seed. */
  draw(below: number): number;
  /** A text that no other fault of the campaign uses. */
  readonly secret: string;
}

/** A fault: its weight and its action, which returns the name of the outcome. */
export interface CampaignFault {
  readonly weight: number;
  readonly expects: readonly string[];
  run(ground: Ground): Promise<string>;
}

const CALL_MS = 60;

/** The kind of fault a call ends in, or `ok`, `wrong`, `aborted`. */
async function endOf(call: Promise<string>, secret?: string): Promise<string> {
  return call.then(
    (text) => (secret === undefined || text === secret ? "ok" : "wrong"),
    (thrown: { readonly kind?: string; readonly message: string }) =>
      thrown.kind ?? (thrown.message === "enough" ? "aborted" : `thrown: ${thrown.message}`),
  );
}

/** Runs the fault, then checks that the same connection still answers another call correctly. */
async function thenEcho(endpoint: OpenEndpoint, first: Promise<string>, secret: string): Promise<string> {
  const echo = act(endpoint, "echo", { text: secret });
  return `${await endOf(first)}, then ${await endOf(echo, secret)}`;
}

function inMemory(
  expects: string,
  misdeed: (endpoint: OpenEndpoint, ground: Ground) => Promise<string>,
  callMs = 20_000,
): CampaignFault {
  return {
    weight: 6,
    expects: [expects],
    run: async (ground) => {
      const options: EvilOptions = ground.draw(2) === 0 ? { era: "legacy" } : {};
      await using endpoint = await opened(evil("m"), { timeouts: { callMs } }, evilInProcess(options));
      return await misdeed(endpoint, ground);
    },
  };
}

function overHttp(
  expects: string,
  misdeed: string,
  args: (ground: Ground) => object = () => ({}),
  callMs = 20_000,
): CampaignFault {
  return {
    weight: 2,
    expects: [expects],
    run: async (ground) => {
      const url = ground.server.url;
      await using endpoint = await opened(
        { kind: "streamable-http", id: "h", url, onMismatch: "fail" },
        { timeouts: { callMs } },
      );
      return await endOf(act(endpoint, misdeed, { ...args(ground) }));
    },
  };
}

function overBadNetwork(
  expects: string,
  fault: (ground: Ground) => TcpProxy["fault"],
  callMs = 20_000,
): CampaignFault {
  return {
    weight: 2,
    expects: [expects],
    run: async (ground) => {
      ground.proxy.fault = fault(ground);
      await using endpoint = await openedThrough(ground.proxy, ground.server, { callMs });
      const misdeed = ground.draw(2) === 0 ? "good" : "events";
      return await endOf(
        act(endpoint, misdeed, { text: ground.secret.padEnd(300, "x") }),
        ground.secret.padEnd(300, "x"),
      );
    },
  };
}

function overProcess(
  expects: string,
  misdeed: (endpoint: OpenEndpoint, ground: Ground) => Promise<string>,
  options: EvilOptions = {},
): CampaignFault {
  return {
    weight: 0.35,
    expects: [expects],
    run: async (ground) => {
      await using endpoint = await opened(evil("p", options), {
        stdio: { maxFrameBytes: 100_000, graceMs: 150 },
      });
      return await misdeed(endpoint, ground);
    },
  };
}

async function aborted(endpoint: OpenEndpoint, ground: Ground): Promise<string> {
  const abort = new AbortController();
  const call = act(endpoint, "silent", {}, abort.signal);
  for (let turns = ground.draw(8); turns > 0; turns--) await Promise.resolve();
  abort.abort(new Error("enough"));
  return endOf(call);
}

async function closedInCall(endpoint: OpenEndpoint): Promise<string> {
  const call = endOf(act(endpoint, "silent"));
  await endpoint.close();
  return call;
}

async function failedStart(options: EvilOptions): Promise<string> {
  const endpoint = createServerEndpoint(evil("p", options), undefined, { stdio: { graceMs: 150 } });
  return endOf(endpoint.open().then(() => "opened"));
}

export const CAMPAIGN: { readonly [name: string]: CampaignFault } = {
  "memory: silence": inMemory("timeout", (endpoint) => endOf(act(endpoint, "silent")), CALL_MS),
  "memory: the server leaves": inMemory("transport", (endpoint) => endOf(act(endpoint, "exit"))),
  "memory: refusal": inMemory("tool_error, then ok", (endpoint, { secret }) =>
    thenEcho(endpoint, act(endpoint, "refuse"), secret),
  ),
  "memory: stray answers": inMemory("ok, then ok", (endpoint, { secret }) =>
    thenEcho(endpoint, act(endpoint, "strays"), secret),
  ),
  "memory: two answers": inMemory("ok, then ok", (endpoint, { secret }) =>
    thenEcho(endpoint, act(endpoint, "twice"), secret),
  ),
  "memory: no result": inMemory("protocol, then ok", (endpoint, { secret }) =>
    thenEcho(endpoint, act(endpoint, "result", { result: null }), secret),
  ),
  "memory: abort": inMemory("aborted", aborted),
  "memory: close in a call": inMemory("not_connected", closedInCall),
  "http: status": overHttp("transport", "status", ({ draw }) => ({
    status: [400, 403, 409, 413, 500, 501, 502, 503][draw(8)],
  })),
  "http: lost login": overHttp("transport", "status", () => ({ status: 401 })),
  "http: reset": overHttp("transport", "reset"),
  "http: reset in the stream": overHttp("transport", "reset-in-stream"),
  "http: half an event": overHttp("transport", "half-event"),
  "http: a page": overHttp("transport", "html"),
  "http: broken JSON": overHttp("transport", "not-json"),
  "http: silence": overHttp("timeout", "silent", undefined, CALL_MS),
  "http: another's answer": overHttp("timeout", "other-id", undefined, CALL_MS),
  "network: slow": overBadNetwork("ok", ({ draw }) => ({ delayMs: draw(5) })),
  "network: sliced": overBadNetwork("ok", ({ draw }) => ({ sliceBytes: 1 + draw(64) })),
  "network: cut": overBadNetwork("transport", ({ draw }) => ({ cutAfter: draw(300) })),
  "network: reset": overBadNetwork("transport", ({ draw }) => ({ resetAfter: draw(300) })),
  "network: stuck": overBadNetwork("timeout", ({ draw }) => ({ limit: draw(300) }), CALL_MS),
  "process: exit": overProcess("transport", (endpoint, { draw }) =>
    endOf(act(endpoint, "exit", { code: draw(100) })),
  ),
  "process: killed": overProcess("transport", (endpoint) => endOf(act(endpoint, "crash"))),
  "process: junk": overProcess(
    "ok, then ok",
    (endpoint, { secret }) =>
      thenEcho(endpoint, act(endpoint, "junk", { lines: ["junk\n", "{\n", "\r\n"] }), secret),
    { start: "chatty" },
  ),
  "process: too long": overProcess("protocol, then ok", (endpoint, { secret }) =>
    thenEcho(endpoint, act(endpoint, "huge", { bytes: 200_000 }), secret),
  ),
  "process: noise": overProcess("ok, then ok", (endpoint, { draw, secret }) =>
    thenEcho(endpoint, act(endpoint, "stderr", { bytes: draw(1_000_000) }), secret),
  ),
  "process: abort": overProcess("aborted", aborted),
  "process: close in a call": overProcess("not_connected", closedInCall, { ignoreTerm: true }),
  "process: stopped": overProcess("not_connected", async (endpoint) => {
    const call = endOf(act(endpoint, "stop"));
    await endpoint.close();
    return call;
  }),
  "process: dead on arrival": {
    weight: 0.35,
    expects: ["spawn_failed"],
    run: ({ draw }) => failedStart({ start: "exit", code: 1 + draw(99) }),
  },
};
