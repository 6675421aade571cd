import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { type FaultDetails, ProtocolFault } from "indusagi/interop";
import { expect } from "vitest";
import { countedFailures, nextRestart } from "../../../../src/interop/fleet/failures/restart-policy.ts";
import { explainFault, retryOutlook } from "../../../../src/interop/fleet/failures/retry-outlook.ts";
import { resolveSupervision } from "../../../../src/interop/fleet/fleet-options.ts";

const fault = (details: FaultDetails = {}): ProtocolFault =>
  new ProtocolFault("transport", `server "s" failed`, { server: "s", ...details });
const systemError = (code: string): ProtocolFault =>
  fault({ cause: Object.assign(new Error("inner"), { code }) });

const delayOf = (...given: Parameters<typeof nextRestart>): number | undefined => {
  const verdict = nextRestart(...given);
  return "delayMs" in verdict ? verdict.delayMs : undefined;
};

verifies("supervise:outlook", "by system error code", () => {
  const final = ["ENOENT", "EACCES", "ENOEXEC", "E2BIG", "ERR_INVALID_URL", "CERT_HAS_EXPIRED"];
  const temporary = ["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EMFILE", "EAGAIN", "UND_ERR_SOCKET"];
  for (const code of final) expect(retryOutlook(systemError(code)).retryable, code).toBe(false);
  for (const code of temporary) expect(retryOutlook(systemError(code)).retryable, code).toBe(true);
});

verifies("supervise:outlook", "by status, reason and exit", () => {
  for (const status of [301, 307, 400, 401, 403, 404, 405, 406, 409, 413, 501])
    expect(retryOutlook(fault({ status })).retryable, String(status)).toBe(false);
  for (const status of [408, 429, 500, 502, 503, 504])
    expect(retryOutlook(fault({ status })).retryable, String(status)).toBe(true);
  expect(retryOutlook(fault({ status: 404, reason: "session_lost" })).retryable).toBe(true);
  expect(retryOutlook(fault({ exit: { code: 7 } })).retryable).toBe(true);
  expect(retryOutlook(fault()).retryable).toBe(true);
});

verifies(
  "supervise:redeploy",
  "for a server that was ready only a status about permissions is final, and every retryable status stays retryable",
  () => {
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), (status) => {
        const answered = fault({ status });
        const isAboutPermissions = [401, 403, 407, 451].includes(status);
        expect(retryOutlook(answered, true).retryable).toBe(!isAboutPermissions);
        expect(retryOutlook(answered, true).remedy).toBe(retryOutlook(answered).remedy);
        if (retryOutlook(answered).retryable) expect(isAboutPermissions).toBe(false);
      }),
    );
    expect(retryOutlook(systemError("ENOENT"), true).retryable).toBe(false);
    const rule = resolveSupervision({ jitter: 0 });
    const past = { failures: 2, wasReady: true };
    expect(nextRestart(fault({ status: 404 }), past, rule)).toEqual({ next: "waiting", delayMs: 500 });
    expect(nextRestart(fault({ status: 404 }), { failures: 2 }, rule)).toEqual({ next: "failed" });
  },
);

verifies(
  "supervise:outlook",
  "a fault is explained in one line that is safe to display and ends with the remedy",
  () => {
    const message = explainFault(
      new ProtocolFault("spawn_failed", 'server "s" could\nnot \u001b[31mstart\u202e', {
        cause: Object.assign(new Error("x"), { code: "ENOENT" }),
      }),
    );
    expect(message).toBe(
      'server "s" could not \\x1b[31mstart\\u{202e}; install it, or check "command" and "cwd" in its configuration',
    );
  },
);

const rules = fc.record({
  firstDelayMs: fc.integer({ min: 1, max: 5000 }),
  maxDelayMs: fc.integer({ min: 1, max: 60_000 }),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  breaker: fc.record({
    failures: fc.integer({ min: 1, max: 20 }),
    withinMs: fc.integer({ min: 1, max: 100_000 }),
    retryMs: fc.integer({ min: 1, max: 100_000 }),
  }),
  random: fc.double({ min: 0, max: 0.999, noNaN: true }).map((value) => () => value),
});

verifies("supervise:delay", "it stays within its bounds for every rule and every number of failures", () => {
  fc.assert(
    fc.property(rules, fc.integer({ min: 1, max: 200 }), (given, failures) => {
      const rule = resolveSupervision(given);
      const verdict = nextRestart(fault(), { failures }, rule);
      if (failures >= rule.breaker.failures) {
        expect(verdict).toEqual({ next: "tripped", delayMs: rule.breaker.retryMs });
        return;
      }
      const whole = Math.min(rule.maxDelayMs, rule.firstDelayMs * 2 ** (failures - 1));
      const delayMs = delayOf(fault(), { failures }, rule);
      expect(verdict.next).toBe("waiting");
      expect(delayMs).toBeLessThanOrEqual(whole);
      expect(delayMs).toBeGreaterThanOrEqual(whole * (1 - rule.jitter) - 1e-6);
    }),
  );
});

verifies(
  "supervise:delay",
  "a fault that another start cannot fix is never retried, whatever the rule",
  () => {
    fc.assert(
      fc.property(rules, fc.integer({ min: 1, max: 200 }), (given, failures) => {
        const rule = resolveSupervision(given);
        expect(nextRestart(systemError("ENOENT"), { failures }, rule)).toEqual({ next: "failed" });
        expect(nextRestart(fault({ status: 401, reason: "auth" }), { failures }, rule)).toEqual({
          next: "needs_login",
        });
        expect(nextRestart(fault(), { failures }, { ...rule, restarts: false })).toEqual({ next: "failed" });
      }),
    );
  },
);

verifies("supervise:delay", "the documented times are the defaults, and Retry-After is a lower bound", () => {
  const rule = resolveSupervision({ jitter: 0 });
  const delays = [1, 2, 3, 4, 5].map((failures) => delayOf(fault(), { failures }, rule));
  expect(delays).toEqual([250, 500, 1000, 2000, 30_000]);
  const lostSession = fault({ reason: "session_lost", status: 404 });
  expect(delayOf(lostSession, { failures: 1 }, rule)).toBe(0);
  expect(delayOf(lostSession, { failures: 2 }, rule)).toBe(500);
  const busy = fault({ status: 503, cause: Object.assign(new Error("busy"), { retryAfterMs: 7000 }) });
  expect(delayOf(busy, { failures: 1 }, rule)).toBe(7000);
});

verifies(
  "supervise:breaker",
  "failures count within its time, and all since the last good start count",
  () => {
    const rule = resolveSupervision({ breaker: { withinMs: 100, failures: 50 } });
    const timesMs = [0, 20, 50, 51, 99, 149];
    expect(countedFailures(timesMs, { nowMs: 150, startedMs: 120 }, rule)).toEqual([51, 99, 149]);
    expect(countedFailures(timesMs, { nowMs: 150, startedMs: 20 }, rule)).toEqual([20, 50, 51, 99, 149]);
    expect(countedFailures(timesMs, { nowMs: 150, startedMs: undefined }, rule)).toEqual(timesMs);
    fc.assert(
      fc.property(fc.array(fc.nat(1000)), fc.nat(1000), fc.nat(1000), (times, nowMs, startedMs) => {
        const counted = countedFailures(times, { nowMs, startedMs }, rule);
        expect(counted.every((atMs) => atMs >= startedMs || nowMs - atMs < 100)).toBe(true);
        expect(counted.length).toBeLessThanOrEqual(50);
        const sinceStart = resolveSupervision({ breaker: { withinMs: 0, failures: 50 } });
        const all = countedFailures(times, { nowMs: 1_000, startedMs }, sinceStart);
        expect(all).toEqual(times.filter((atMs) => atMs >= startedMs).slice(-50));
        expect(countedFailures(counted, { nowMs, startedMs }, rule)).toEqual(counted);
      }),
    );
  },
);

interface Try {
  /** The time until the try failed. */
  readonly tookMs: number;
  /** The server was ready before it failed. */
  readonly wasUp: boolean;
}

/** The state after each try, by the rule alone. */
function statesOf(tries: readonly Try[], rule: ReturnType<typeof resolveSupervision>): string[] {
  let nowMs = 0;
  let failuresMs: number[] = [];
  let startedMs: number | undefined;
  let isProbe = false;
  return tries.map(({ tookMs, wasUp }) => {
    if (wasUp) [startedMs, isProbe] = [nowMs, false];
    nowMs += tookMs;
    failuresMs = countedFailures([...failuresMs, nowMs], { nowMs, startedMs }, rule);
    const past = { failures: failuresMs.length, isProbe };
    const { next } = nextRestart(fault(), past, rule);
    isProbe = next === "tripped";
    nowMs += delayOf(fault(), past, rule) ?? 0;
    return next;
  });
}

const tookMs = fc.integer({ min: 0, max: 300_000 });

verifies(
  "supervise:breaker",
  "it opens after that many failures, however long each takes, and stays open",
  () => {
    fc.assert(
      fc.property(rules, fc.array(tookMs, { minLength: 1, maxLength: 40 }), (given, durations) => {
        const rule = resolveSupervision(given);
        const tries = durations.map((ms) => ({ tookMs: ms, wasUp: false }));
        const expected = tries.map((_, at) => (at + 1 < rule.breaker.failures ? "waiting" : "tripped"));
        expect(statesOf(tries, rule)).toEqual(expected);
      }),
    );
  },
);

verifies("supervise:breaker", "once open, only a good start closes it", () => {
  // A server that exits soon opens it. From then on the server hangs, and the failures that opened the breaker grow old.
  const exitsSoon = { tookMs: 1000, wasUp: true };
  const hangs = { tookMs: 30_000, wasUp: false };
  const tries = [exitsSoon, exitsSoon, exitsSoon, exitsSoon, exitsSoon, hangs, hangs, hangs];
  expect(statesOf(tries, resolveSupervision()).slice(3)).toEqual(["waiting", ...Array(4).fill("tripped")]);
  const some = fc.array(fc.record({ tookMs, wasUp: fc.boolean() }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(rules, some, (given, drawn) => {
      const states = statesOf(drawn, resolveSupervision(given));
      for (const [at, state] of states.entries())
        if (states[at - 1] === "tripped" && !drawn[at]?.wasUp) expect(state).toBe("tripped");
    }),
  );
});
