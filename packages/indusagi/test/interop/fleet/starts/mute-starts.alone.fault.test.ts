import { atSize, isFullSize, median, recordFigure, verifies } from "@indus/testkit";
import { type ServerConfig, ServerFleetImpl } from "indusagi/interop";
import { expect } from "vitest";
import { createStartMemory } from "../../../../src/interop/fleet/starts/start-plan.ts";
import { rough } from "../rough.ts";

const HEALTHY = atSize({ quick: 2, full: 24 });
const MUTE = atSize({ quick: 3, full: 12 });
const ROUNDS = atSize({ quick: 1, full: 3 });

/** As long as a server with libraries computes before it answers. A mute one does nothing after its start. */
const BOOT_MS = atSize({ quick: "1", full: "250" });
const healthy = Array.from({ length: HEALTHY }, (_, n) => rough(`good${n}`, "--boot", BOOT_MS));
const mute: readonly ServerConfig[] = Array.from({ length: MUTE }, (_, n) => ({
  ...rough(`mute${n}`, "--mute"),
  timeouts: { connectMs: 120_000 },
}));

/** How long a cold start takes until every healthy server is ready. */
async function startMs(
  servers: readonly ServerConfig[],
  startHistory = createStartMemory(),
): Promise<number> {
  const fleet = new ServerFleetImpl({ startConcurrency: 4, supervision: false, startHistory });
  const beganMs = performance.now();
  const ready = new Set<string>();
  const all = new Promise<void>((resolve) => {
    fleet.onStatus(({ server, phase }) => {
      if (phase === "ready") ready.add(server);
      if (ready.size === HEALTHY) resolve();
    });
  });
  void fleet.start({ servers });
  await all;
  const tookMs = performance.now() - beganMs;
  await fleet.tearDown();
  return tookMs;
}

verifies(
  "starts:mute",
  "mute servers before healthy ones in the file hardly delay a first start",
  async () => {
    const first: number[] = [];
    const second: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const history = createStartMemory();
      const aloneMs = await startMs(healthy);
      first.push((await startMs([...mute, ...healthy], history)) / aloneMs);
      second.push((await startMs([...mute, ...healthy], history)) / aloneMs);
    }
    // On a busy machine one round says nothing. A slot of 3 s for each mute server would make it 3 and more.
    if (isFullSize) expect([median(first) < 1.3, median(second) < 1.3]).toEqual([true, true]);
    recordFigure({
      what: "mute servers before healthy ones in the file",
      size: `${MUTE} mute, ${HEALTHY} healthy, ${ROUNDS} rounds`,
      found: `healthy ones ready after ${median(first).toFixed(2)} times as long as alone in a first start, ${median(second).toFixed(2)} in the next`,
    });
  },
  { timeoutMs: 900_000, only: ["linux"] },
);
