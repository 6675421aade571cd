import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { atSize, recordFigure, verifies } from "@indus/testkit";
import { createProviderHost, serveHttp } from "indusagi/interop";
import { expect } from "vitest";
import { boxOf } from "../box-of.ts";
import { initialize } from "./raw-http.ts";

const OPENED = atSize({ quick: 150, full: 20_000 });
const CAP = 20;
const MIB = 1024 * 1024;

/** Opens sessions and leaves them, a few at a time; returns how many were admitted. */
async function openAndLeave(url: string, count: number): Promise<number> {
  let left = count;
  let opened = 0;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { status } = await initialize(url);
      expect([200, 429]).toContain(status);
      if (status === 200) opened += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return opened;
}

/** Bytes still held after garbage collection. */
function heapInUse(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

verifies(
  "host-threats:session-cap",
  "a client that opens sessions endlessly is admitted at the rate at which they expire, and memory stays flat",
  async () => {
    const limits = { sessionsPerPrincipal: CAP, sessionIdleMs: 200 };
    const { url, close } = await serveHttp(createProviderHost(boxOf({})), { port: 0, limits });
    let opened = await openAndLeave(url, OPENED / 10);
    const before = heapInUse();
    opened += await openAndLeave(url, OPENED);
    const grown = (heapInUse() - before) / MIB;
    expect(opened).toBeGreaterThanOrEqual(CAP);
    expect(grown).toBeLessThan(16);
    // All of them expire when no client returns.
    await expect.poll(async () => (await initialize(url)).status, { timeout: 5000, interval: 300 }).toBe(200);
    await close();
    recordFigure({
      what: "sessions opened and left",
      size: `${OPENED} tries, ${CAP} at a time`,
      found: `${opened} let in, memory grew by ${grown.toFixed(0)} MiB`,
    });
  },
  { timeoutMs: 240_000 },
);
