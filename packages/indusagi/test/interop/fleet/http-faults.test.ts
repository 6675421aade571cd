import { verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  type BridgeOptions,
  mountProtocolBridge,
  ProtocolFault,
  type RpcMessage,
  type StreamableHttpServerConfig,
} from "indusagi/interop";
import type { ToolOutcome } from "indusagi/runtime";
import { expect } from "vitest";
import { retryDelayMs } from "../../../src/interop/endpoint/connect/raw-session.ts";
import { parseRetryAfter } from "../../../src/interop/endpoint/faults/http-refusal.ts";
import { httpStatusMeaning } from "../../../src/interop/endpoint/index.ts";
import { type FlakyHttp, flakyHttp, type Refusal } from "./flaky-http.ts";

const row = (url: string): StreamableHttpServerConfig => ({
  kind: "streamable-http",
  id: "h",
  url,
  onMismatch: "fail",
});
const brisk: BridgeOptions = {
  relistMs: 60_000,
  supervision: { firstDelayMs: 20, maxDelayMs: 50, breaker: { failures: 1000 } },
};

async function mounted(server: FlakyHttp, options: BridgeOptions = brisk) {
  const { box, fleet } = await mountProtocolBridge({ servers: [row(server.url)] }, options);
  const echo = (text: string): Promise<ToolOutcome> =>
    box.runner.run({ id: text, name: "h__echo", input: { text } });
  const status = () => fleet.status().get("h");
  return { box, fleet, echo, status, [Symbol.asyncDispose]: () => fleet.tearDown() };
}

/** Refuses the first requests of a method. */
function refuseFirst(
  method: string,
  times: number,
  refusal: Refusal,
): (message: RpcMessage) => Refusal | undefined {
  let left = times;
  return (message) => (message.method === method && left-- > 0 ? refusal : undefined);
}

const times = (asked: readonly string[], method: string): number =>
  asked.filter((other) => other === method).length;

verifies(
  "supervise:statuses",
  "the table gives for every status: not run, temporary, ends the connection, retryable, final",
  () => {
    const rows: [number, string][] = [
      [301, "unrun"],
      [400, ""],
      [401, "unrun ends final"],
      [403, "unrun final"],
      [404, "unrun"],
      [405, "unrun"],
      [406, "unrun"],
      [407, "final"],
      [408, "temporary retryable"],
      [409, ""],
      [413, "unrun"],
      [418, ""],
      [429, "unrun temporary retryable"],
      [451, "final"],
      [500, "temporary retryable"],
      [501, ""],
      [502, "temporary retryable"],
      [503, "temporary retryable"],
      [504, "temporary retryable"],
    ];
    for (const [status, expected] of rows) {
      const { didNotRun, isTemporary, endsConnection, retryable, canReturn, remedy } =
        httpStatusMeaning(status);
      const words = [
        didNotRun && "unrun",
        isTemporary && "temporary",
        endsConnection && "ends",
        retryable && "retryable",
        !canReturn && "final",
      ];
      expect(words.filter(Boolean).join(" "), String(status)).toBe(expected);
      expect(remedy.length, String(status)).toBeGreaterThan(10);
    }
  },
);

verifies("supervise:retry-after", "seconds, dates and invalid values", () => {
  const nowMs = Date.parse("2026-07-28T12:00:00Z");
  const cases: [string | null, number | undefined][] = [
    [null, undefined],
    ["", undefined],
    ["0", 0],
    ["3", 3000],
    ["Tue, 28 Jul 2026 12:00:05 GMT", 5000],
    ["Tue, 28 Jul 2026 11:00:00 GMT", 0],
    ["Tue, 28 Jul 2099 12:00:00 GMT", 60_000],
    ["99999999999999999999", 60_000],
    ["-5", undefined],
    ["soon", undefined],
    ["1e3", undefined],
  ];
  for (const [header, expected] of cases)
    expect(parseRetryAfter(header, nowMs), String(header)).toBe(expected);
  fc.assert(
    fc.property(fc.string(), (header) => {
      const ms = parseRetryAfter(header, nowMs);
      expect(ms === undefined || (ms >= 0 && ms <= 60_000)).toBe(true);
    }),
  );
});

verifies(
  "supervise:ask-again",
  "for every status and method: only if not run or harmless, only if temporary, at most three times",
  () => {
    const methods = fc.constantFrom(
      "tools/list",
      "ping",
      "resources/read",
      "tools/call",
      "tasks/cancel",
      "x/y",
    );
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), methods, fc.nat(6), (status, method, retries) => {
        const fault = new ProtocolFault("transport", "refused", { status });
        const { isTemporary, didNotRun } = httpStatusMeaning(status);
        const isSafe = ["tools/list", "ping", "resources/read"].includes(method);
        const isAllowed = isTemporary && (didNotRun || isSafe) && retries < 3;
        expect(retryDelayMs(fault, { method, retries }) !== undefined).toBe(isAllowed);
      }),
    );
    expect(retryDelayMs(new Error("other"), { method: "ping", retries: 0 })).toBeUndefined();
  },
);

for (const status of [400, 403, 405, 406, 408, 409, 413, 500, 502, 503, 504]) {
  verifies(
    "supervise:ask-again",
    `a call refused with ${status} is sent once, and the next one succeeds`,
    async () => {
      await using server = await flakyHttp("legacy");
      await using bridge = await mounted(server);
      server.refuse = refuseFirst("tools/call", 1, { status });
      const outcome = await bridge.echo("refused");
      expect(outcome).toMatchObject({ isError: true, fault: { kind: "transport" } });
      expect(times(server.asked, "tools/call")).toBe(1);
      expect((await bridge.echo("good")).output).toBe("good");
      expect([server.ran, bridge.status()?.restarts]).toEqual([["good"], 0]);
    },
  );
}

for (const era of ["legacy", "modern"] as const) {
  verifies(
    "supervise:ask-again",
    `${era}: 429 proves that a call did not run, so it is repeated after Retry-After`,
    async () => {
      await using server = await flakyHttp(era);
      await using bridge = await mounted(server);
      server.refuse = refuseFirst("tools/call", 2, { status: 429, retryAfter: "0" });
      expect((await bridge.echo("patient")).output).toBe("patient");
      expect([times(server.asked, "tools/call"), server.ran]).toEqual([3, ["patient"]]);
    },
  );

  verifies("supervise:ask-again", `${era}: a listing is repeated while the server answers 503`, async () => {
    await using server = await flakyHttp(era);
    server.refuse = refuseFirst("tools/list", 2, { status: 503 });
    await using bridge = await mounted(server);
    expect([bridge.box.descriptors().length, times(server.asked, "tools/list")]).toEqual([22, 3]);
  });

  verifies(
    "supervise:ask-again",
    `${era}: a stream that breaks off fails the call at once and repeats nothing`,
    async () => {
      await using server = await flakyHttp(era);
      await using bridge = await mounted(server);
      server.refuse = refuseFirst("tools/call", 1, "cut");
      expect(await bridge.echo("cut off")).toMatchObject({ isError: true, fault: { retrySafe: false } });
      expect((await bridge.echo("good")).output).toBe("good");
      expect(server.ran).toEqual(["cut off", "good"]);
    },
  );

  verifies("supervise:acquire", `${era}: a server that refuses to open at first joins later`, async () => {
    await using server = await flakyHttp(era);
    server.refuse = (message) => (message.method === "tools/list" ? undefined : { status: 503 });
    await using bridge = await mounted(server);
    expect(bridge.status()).toMatchObject({ state: "restarting", fault: { details: { status: 503 } } });
    const lease = bridge.fleet.acquire("h");
    server.refuse = () => undefined;
    expect((await lease).endpoint.phase).toBe("ready");
    await expect.poll(() => bridge.box.descriptors().length).toBe(22);
  });

  verifies("supervise:acquire", `${era}: a call waits for a server that is down for a moment`, async () => {
    const first = await flakyHttp(era);
    await using bridge = await mounted(first);
    await first[Symbol.asyncDispose]();
    const call = bridge.echo("patient");
    await expect.poll(() => bridge.status()?.state).toBe("restarting");
    await using second = await flakyHttp(era, first.port);
    expect((await call).output).toBe("patient");
    expect([first.ran, second.ran]).toEqual([[], ["patient"]]);
  });
}

verifies(
  "supervise:retry-after",
  "a Retry-After beyond the call's own deadline is not waited for",
  async () => {
    await using server = await flakyHttp("legacy");
    await using bridge = await mounted(server, { ...brisk, timeouts: { callMs: 10_000 } });
    server.refuse = refuseFirst("tools/call", 1, { status: 429, retryAfter: "3600" });
    const startedMs = performance.now();
    expect((await bridge.echo("impatient")).fault).toMatchObject({ kind: "transport", retrySafe: true });
    expect(performance.now() - startedMs).toBeLessThan(9_000);
  },
);

const losses: Refusal[] = [
  { status: 404, body: "Session not found" },
  { status: 400, body: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"No valid session ID provided"}}' },
  { status: 400, body: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Server not initialized"}}' },
];
for (const loss of losses) {
  verifies(
    "supervise:session",
    `${JSON.stringify(loss)} leads to one new session, and the caller gets its answer`,
    async () => {
      await using server = await flakyHttp("legacy");
      await using bridge = await mounted(server);
      const before = bridge.box.descriptors();
      server.refuse = refuseFirst("tools/call", 1, loss);
      expect((await bridge.echo("again")).output).toBe("again");
      expect([times(server.asked, "initialize"), server.ran]).toEqual([2, ["again"]]);
      expect(bridge.status()).toMatchObject({ phase: "ready", restarts: 1 });
      expect(bridge.box.descriptors()).toBe(before);
    },
  );
}

verifies(
  "supervise:session",
  "many calls that meet a lost session share one new session and run once each",
  async () => {
    await using server = await flakyHttp("legacy");
    await using bridge = await mounted(server);
    server.forgetSessions();
    const texts = Array.from({ length: 10 }, (_, index) => `call ${index}`);
    const outcomes = await Promise.all(texts.map((text) => bridge.echo(text)));
    expect(outcomes.map((outcome) => outcome.output)).toEqual(texts);
    expect(times(server.asked, "initialize")).toBe(2);
    expect(server.ran.toSorted()).toEqual(texts);
  },
);

verifies(
  "supervise:session",
  "a running call is neither lost nor repeated when another call meets a lost session",
  async () => {
    await using server = await flakyHttp("legacy");
    await using bridge = await mounted(server);
    const slow = bridge.box.runner.run({
      id: "1",
      name: "h__slow",
      input: { ms: 300, text: "slow", quiet: true },
    });
    await expect.poll(() => server.ran).toEqual(["slow"]);
    server.forgetSessions();
    expect((await bridge.echo("quick")).output).toBe("quick");
    expect((await slow).output).toBe("done");
    expect(server.ran).toEqual(["slow", "quick"]);
  },
);

for (const status of [301, 400, 404, 405, 410, 501]) {
  verifies(
    "supervise:redeploy",
    `a server that was ready is waited for while ${status} is answered for it, and the call succeeds`,
    async () => {
      await using server = await flakyHttp("legacy");
      await using bridge = await mounted(server);
      const before = bridge.box.descriptors();
      let left = 3;
      server.refuse = ({ method }) => {
        if (left <= 0) return undefined;
        if (method === "initialize") left -= 1;
        return { status: method === "tools/call" ? 404 : status };
      };
      expect((await bridge.echo("patient")).output).toBe("patient");
      expect(server.ran).toEqual(["patient"]);
      await expect.poll(bridge.status).toMatchObject({ phase: "ready", restarts: 4, toolCount: 22 });
      expect(bridge.box.descriptors()).toBe(before);
    },
  );
}

verifies(
  "supervise:redeploy",
  "a server that was ready recovers after a second of 404, whatever transports are tried",
  async () => {
    await using server = await flakyHttp("legacy");
    const either = { kind: "streamable-http", id: "h", url: server.url } as const;
    const { fleet } = await mountProtocolBridge({ servers: [either] }, { relistMs: 60_000 });
    server.refuse = () => ({ status: 404, body: "<h1>no such service</h1>" });
    await expect(fleet.endpoint("h")?.invoke("echo", {})).rejects.toMatchObject({ reason: "session_lost" });
    await expect.poll(() => fleet.status().get("h")).toMatchObject({ state: "restarting", restarts: 1 });
    setTimeout(() => (server.refuse = () => undefined), 1000);
    await expect
      .poll(() => fleet.status().get("h"), { timeout: 10_000 })
      .toMatchObject({ phase: "ready", toolCount: 22 });
    await fleet.tearDown();
  },
);

for (const [status, message] of [
  [401, "log in to it"],
  [403, "ask for access to it"],
  [451, "use another server"],
] as const) {
  verifies("supervise:redeploy", `${status} is final also for a server that was ready`, async () => {
    await using server = await flakyHttp("legacy");
    await using bridge = await mounted(server);
    server.refuse = ({ method }) => ({ status: method === "tools/call" ? 404 : status });
    expect((await bridge.echo("refused")).isError).toBe(true);
    expect(bridge.status()).toMatchObject({ phase: "faulted", summary: expect.stringContaining(message) });
    expect(bridge.status()?.state).toBe(status === 401 ? "needs_login" : undefined);
  });
}

verifies("supervise:redeploy", "a url that never worked is not retried after a 404", async () => {
  await using server = await flakyHttp("legacy");
  server.refuse = () => ({ status: 404 });
  await using bridge = await mounted(server);
  const asked = server.asked.length;
  expect(bridge.status()).toMatchObject({ phase: "faulted", restarts: 0 });
  expect(bridge.status()?.state).toBeUndefined();
  await expect(bridge.fleet.acquire("h")).rejects.toBe(bridge.status()?.fault);
  expect(server.asked).toHaveLength(asked);
});

verifies("supervise:final", "a refused login is shown and not retried, and a restart clears it", async () => {
  await using server = await flakyHttp("legacy");
  server.refuse = () => ({ status: 401 });
  await using bridge = await mounted(server);
  expect(bridge.status()).toMatchObject({
    phase: "faulted",
    state: "needs_login",
    summary: expect.stringMatching(/log in to it/),
  });
  const asked = server.asked.length;
  await expect(bridge.fleet.acquire("h")).rejects.toMatchObject({
    kind: bridge.status()?.fault?.kind,
    message: expect.stringMatching(/HTTP 401.*log in to it/),
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(server.asked).toHaveLength(asked);
  server.refuse = () => undefined;
  expect(await bridge.fleet.restart("h")).toBe(true);
  expect(bridge.status()?.state).toBeUndefined();
  expect((await bridge.echo("in")).output).toBe("in");
});

verifies(
  "supervise:final",
  "a login that expires in a session is shown at once, and the tools stay",
  async () => {
    await using server = await flakyHttp("legacy");
    await using bridge = await mounted(server);
    server.refuse = () => ({ status: 401 });
    expect((await bridge.echo("out")).fault).toMatchObject({ reason: "auth", retrySafe: true });
    expect(bridge.status()).toMatchObject({ state: "needs_login", toolCount: 22 });
  },
);
