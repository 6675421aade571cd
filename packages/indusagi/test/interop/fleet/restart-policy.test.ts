import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { type FaultDetails, ProtocolFault } from "indusagi/interop";
import { expect } from "vitest";
import { resolveSupervision } from "../../../src/interop/fleet/fleet-options.ts";
import { countedFailures, nextRestart } from "../../../src/interop/fleet/restart-policy.ts";
import { explainFault, retryOutlook } from "../../../src/interop/fleet/retry-outlook.ts";

const fault = (details: FaultDetails = {}): ProtocolFault =>
  new ProtocolFault("transport", `server "s" failed`, { server: "s", ...details });
const systemError = (code: string): ProtocolFault =>
  fault({ cause: Object.assign(new Error("inner"), { code }) });

const delayOf = (...given: Parameters<typeof nextRestart>): number | undefined => {
  const verdict = nextRestart(...given);
  return "delayMs" in verdict ? verdict.delayMs : undefined;
};

verifies("supervise:prospects", "system codes", () => {
  const hopeless = ["ENOENT", "EACCES", "ENOEXEC", "E2BIG", "ERR_INVALID_URL", "CERT_HAS_EXPIRED"];
  const hopeful = ["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EMFILE", "EAGAIN", "UND_ERR_SOCKET"];
  for (const code of hopeless) expect(retryOutlook(systemError(code)).retryable, code).toBe(false);
  for (const code of hopeful) expect(retryOutlook(systemError(code)).retryable, code).toBe(true);
});

verifies("supervise:prospects", "statuses, reasons and ends", () => {
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
  "once it has been ready only a status about rights is final, and whatever heals still heals",
  () => {
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), (status) => {
        const answered = fault({ status });
        const isAboutRights = [401, 403, 407, 451].includes(status);
        expect(retryOutlook(answered, true).retryable).toBe(!isAboutRights);
        expect(retryOutlook(answered, true).remedy).toBe(retryOutlook(answered).remedy);
        if (retryOutlook(answered).retryable) expect(isAboutRights).toBe(false);
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
  "supervise:prospects",
  "a fault is explained in one line that can be shown and ends with the way out",
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

verifies("supervise:delay", "within its bounds for every rule and every count of failures", () => {
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

verifies("supervise:delay", "what cannot heal is never tried again, whatever the rule", () => {
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
});

verifies(
  "supervise:delay",
  "the documented times are the defaults, and a server's own wish is a lower bound",
  () => {
    const rule = resolveSupervision({ jitter: 0 });
    const delays = [1, 2, 3, 4, 5].map((failures) => delayOf(fault(), { failures }, rule));
    expect(delays).toEqual([250, 500, 1000, 2000, 30_000]);
    const forgotten = fault({ reason: "session_lost", status: 404 });
    expect(delayOf(forgotten, { failures: 1 }, rule)).toBe(0);
    expect(delayOf(forgotten, { failures: 2 }, rule)).toBe(500);
    const busy = fault({ status: 503, cause: Object.assign(new Error("busy"), { retryAfterMs: 7000 }) });
    expect(delayOf(busy, { failures: 1 }, rule)).toBe(7000);
  },
);

verifies("supervise:breaker", "failures count within its time, and all since the last good start", () => {
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
      expect(countedFailures(counted, { nowMs, startedMs }, rule)).toEqual(counted);
    }),
  );
});

interface Try {
  /** How long the try went on before it failed. */
  readonly tookMs: number;
  /** The server was ready before it failed. */
  readonly wasUp: boolean;
}

/** The states a server goes through, one for each try, by the rule alone. */
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
  "it opens after as many failures, however long each takes, and stays open",
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
  // Opened by a server that dies young; from then on it hangs, and the failures that opened the breaker grow old.
  const young = { tookMs: 1000, wasUp: true };
  const hung = { tookMs: 30_000, wasUp: false };
  const story = [young, young, young, young, young, hung, hung, hung];
  expect(statesOf(story, resolveSupervision()).slice(3)).toEqual(["waiting", ...Array(4).fill("tripped")]);
  const some = fc.array(fc.record({ tookMs, wasUp: fc.boolean() }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(rules, some, (given, tries) => {
      const states = statesOf(tries, resolveSupervision(given));
      for (const [at, state] of states.entries())
        if (states[at - 1] === "tripped" && !tries[at]?.wasUp) expect(state).toBe("tripped");
    }),
  );
});
