import { verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  backoffMs,
  createManualClock,
  createUlidMinter,
  isoTime,
  mintUlid,
  nowMs,
  systemClock,
  ulidTime,
} from "indusagi/core";
import { decodeTime, isValid } from "ulid";
import { expect } from "vitest";

verifies("core:ulid-monotonic", "ids increase also when the clock stands still or steps back", () => {
  const steps = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(steps, (jumps) => {
      let now = 1_700_000_000_000;
      const clock = { ...systemClock, nowMs: () => now };
      const mint = createUlidMinter({ clock });
      let last = mint();
      for (const jump of jumps) {
        now += jump;
        const next = mint();
        expect(next > last).toBe(true);
        expect(next).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
        last = next;
      }
    }),
  );
});

verifies("core:ulid-monotonic", "the process-wide minter never repeats", () => {
  const ids = Array.from({ length: 2000 }, () => mintUlid());
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

verifies("core:ulid-monotonic", "an independent library reads the time out of every id", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (ms) => {
      const id = createUlidMinter({ clock: { ...systemClock, nowMs: () => ms } })();
      expect(isValid(id)).toBe(true);
      expect(decodeTime(id)).toBe(ms);
      expect(ulidTime(id)).toBe(ms);
    }),
  );
});

verifies("core:ulid-monotonic", "when a millisecond has no ids left, the next one is used", () => {
  const mint = createUlidMinter({ clock: { ...systemClock, nowMs: () => 7 }, random: () => 0.999 });
  const [first, second] = [mint(), mint()];
  expect(first).toBe("0000000007ZZZZZZZZZZZZZZZZ");
  expect(second).toBe("00000000080000000000000000");
});

verifies("core:iso-time", "times are written in UTC with milliseconds", () => {
  expect(isoTime(0)).toBe("1970-01-01T00:00:00.000Z");
  expect(isoTime(1_785_231_000_123)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.123Z$/);
  expect(Math.abs(nowMs() - Date.now())).toBeLessThan(1000);
  expect(nowMs({ ...systemClock, nowMs: () => 7 })).toBe(7);
});

verifies("core:clock-sleep", "the system clock sleeps, and wakes with the signal's reason", async () => {
  const before = systemClock.monotonicMs();
  await systemClock.sleep(5);
  expect(systemClock.monotonicMs() - before).toBeGreaterThanOrEqual(4);

  const abort = new AbortController();
  const reason = new Error("no longer wanted");
  const sleeping = systemClock.sleep(60_000, abort.signal);
  abort.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
  await expect(systemClock.sleep(60_000, abort.signal)).rejects.toBe(reason);
});

verifies(
  "core:clock-sleep",
  "the manual clock wakes sleepers in order, and only when it is advanced",
  async () => {
    const clock = createManualClock(1000);
    const woken: string[] = [];
    const first = clock.sleep(30).then(() => woken.push(`30 at ${clock.nowMs()}`));
    const second = clock.sleep(10).then(() => woken.push(`10 at ${clock.nowMs()}`));
    await clock.advance(9);
    expect(woken).toEqual([]);
    await clock.advance(100);
    await Promise.all([first, second]);
    expect(woken).toEqual(["10 at 1010", "30 at 1030"]);
    expect(clock.nowMs()).toBe(1109);
    expect(clock.sleeping).toBe(0);

    const abort = new AbortController();
    const sleeping = clock.sleep(5, abort.signal);
    abort.abort(new Error("stop"));
    await expect(sleeping).rejects.toThrow("stop");
    expect(clock.sleeping).toBe(0);
    await expect(clock.sleep(5, abort.signal)).rejects.toThrow("stop");
  },
);

verifies("core:backoff", "every delay lies between half of the doubled base and the cap", () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5000 }), random, (attempt, luck) => {
      const delay = backoffMs(attempt, { random: () => luck });
      const whole = Math.min(30_000, 250 * 2 ** Math.min(attempt, 52));
      expect(delay).toBeLessThanOrEqual(whole);
      expect(delay).toBeGreaterThanOrEqual(whole / 2);
    }),
  );
});

verifies("core:backoff", "without jitter the delays are 250 ms doubled up to 30 s", () => {
  const delays = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => backoffMs(attempt, { random: () => 0 }));
  expect(delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  expect(backoffMs(3, { baseMs: 10, maxMs: 50, jitter: 1, random: () => 0.5 })).toBe(25);
});
