import { verifies } from "@indus/testkit";
import fc from "fast-check";
import type { ToolListing } from "indusagi/interop";
import { expect, vi } from "vitest";
import { ToolCatalogue } from "../../../../src/interop/endpoint/list/tool-catalogue.ts";

/** A server whose state is a number, and the times of its listings. */
function flapping() {
  const listedMs: number[] = [];
  const server = { state: 0 };
  const listing = (): ToolListing =>
    ({ tools: [], skipped: [], state: server.state }) as unknown as ToolListing;
  const catalogue = new ToolCatalogue({
    list: async () => {
      listedMs.push(performance.now());
      return listing();
    },
    onChanged: () => {},
  });
  const change = (): void => {
    server.state++;
    catalogue.reported();
  };
  const known = (): unknown => (catalogue.known as unknown as { readonly state: number }).state;
  return { catalogue, listedMs, change, known, server };
}

async function inFakeTime(run: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    await run();
  } finally {
    vi.useRealTimers();
  }
}

verifies(
  "listing:restless",
  "a server that changes ten times a second is listed at most 12 times in 20 s, then ever more rarely, at last every minute",
  () =>
    inFakeTime(async () => {
      const { catalogue, listedMs, change, known, server } = flapping();
      await catalogue.get();
      for (let tenths = 0; tenths < 10 * 60 * 10; tenths++) {
        change();
        await vi.advanceTimersByTimeAsync(100);
      }
      expect(listedMs.filter((ms) => ms - (listedMs[0] ?? 0) <= 20_000).length).toBeLessThanOrEqual(12);
      expect(listedMs.length).toBeLessThan(24);
      const [before = 0, last = 0] = listedMs.slice(-2);
      expect(last - before).toBeGreaterThanOrEqual(60_000);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(known()).toBe(server.state); // The last state is listed in the end.
      await vi.advanceTimersByTimeAsync(61_000);
      change();
      await vi.advanceTimersByTimeAsync(250);
      expect(known()).toBe(server.state); // After a calm time a change is listed promptly again.
      catalogue.stop();
    }),
);

verifies(
  "listing:restless",
  "whenever changes are reported, the last state is listed, and 20 s have at most 12 listings",
  () =>
    inFakeTime(async () => {
      const waits = fc.array(
        fc.oneof(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 30_000 })),
        {
          maxLength: 60,
        },
      );
      await fc.assert(
        fc.asyncProperty(waits, async (delays) => {
          const { catalogue, listedMs, change, known, server } = flapping();
          await catalogue.get();
          for (const ms of delays) {
            change();
            await vi.advanceTimersByTimeAsync(ms);
          }
          await vi.advanceTimersByTimeAsync(60_250);
          expect(known()).toBe(server.state);
          for (const fromMs of listedMs)
            expect(listedMs.filter((ms) => ms >= fromMs && ms < fromMs + 20_000).length).toBeLessThanOrEqual(
              12,
            );
          catalogue.stop();
        }),
        { numRuns: 60 },
      );
    }),
);

/** A catalogue of a server that states a lifetime, and the number of its listings. */
function lasting({ ttlMs, isAnnounced = false }: { readonly ttlMs: number; readonly isAnnounced?: boolean }) {
  let listings = 0;
  let isNew = false;
  const tool = (): object => ({ definition: { name: isNew ? `t${listings}` : "t" } });
  const catalogue = new ToolCatalogue({
    list: async () => {
      listings++;
      const hint = { ttlMs, cacheScope: "public" } as const;
      return { tools: [tool()], skipped: [], truncated: false, hint } as unknown as ToolListing;
    },
    onChanged: () => {},
    isAnnounced: () => isAnnounced,
  });
  return { catalogue, listings: () => listings, beUnsteady: () => (isNew = true) };
}

verifies(
  "relay:cache-kept",
  "a report that may have been missed causes a listing when the lifetime is over, and one that arrives at once",
  () =>
    inFakeTime(async () => {
      const { catalogue, listings } = lasting({ ttlMs: 10_000, isAnnounced: true });
      await catalogue.get();
      catalogue.missed(1_000);
      await vi.advanceTimersByTimeAsync(9_900);
      expect(listings()).toBe(1);
      await vi.advanceTimersByTimeAsync(200);
      expect(listings()).toBe(2);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(listings()).toBe(2);
      catalogue.missed(100);
      catalogue.reported();
      await vi.advanceTimersByTimeAsync(250);
      expect(listings()).toBe(3);
      catalogue.stop();
    }),
);

verifies(
  "relay:cache-renewed",
  "a listing is renewed when somebody needs it after its lifetime, unless changes are reported; one that always differs, ever more rarely",
  () =>
    inFakeTime(async () => {
      const { catalogue, listings, beUnsteady } = lasting({ ttlMs: 1_000 });
      expect(catalogue.renew()).toBeUndefined();
      await catalogue.get();
      expect(catalogue.hint).toEqual({ ttlMs: 1_000, cacheScope: "public" });
      await vi.advanceTimersByTimeAsync(400);
      expect(catalogue.hint.ttlMs).toBe(600);
      expect(catalogue.renew()).toBeUndefined();
      await vi.advanceTimersByTimeAsync(100_000);
      expect([listings(), catalogue.hint.ttlMs]).toEqual([1, 0]); // Never by a timer.
      await Promise.all([catalogue.renew(), catalogue.renew()]);
      expect([listings(), catalogue.hint.ttlMs]).toEqual([2, 1_000]);
      // Each change makes every client list again.
      beUnsteady();
      for (let tenths = 0; tenths < 60 * 10; tenths++) {
        await catalogue.renew();
        await vi.advanceTimersByTimeAsync(100);
      }
      expect(listings()).toBeLessThan(2 + 15);
      const told = lasting({ ttlMs: 1_000, isAnnounced: true });
      await told.catalogue.get();
      await vi.advanceTimersByTimeAsync(100_000);
      expect(told.catalogue.renew()).toBeUndefined();
      expect(told.catalogue.hint.ttlMs).toBe(1_000);
      told.catalogue.reported();
      expect(told.catalogue.hint).toEqual({ ttlMs: 0, cacheScope: "private" });
    }),
);
