// Loaded into `indus` with `node --import`. Measures the delay of its event loop and when it starts processes, and writes
// both to the file in INDUS_FLEET_PROBE when it exits. The product itself has no code for it.
import { subscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

const RESOLUTION_MS = 10;
const file = process.env.INDUS_FLEET_PROBE;

if (isMainThread && file) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const starts = [];
  subscribe("child_process", ({ process: child }) => {
    const atMs = performance.timeOrigin + performance.now();
    // The program is known only after this event.
    queueMicrotask(() => starts.push({ atMs, program: child.spawnargs?.[1] ?? child.spawnfile ?? "" }));
  });
  process.on("exit", () => {
    // The histogram holds the time between two ticks of its timer, so a loop without delay shows the resolution.
    const maxLagMs = Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
    const maxRssMb = process.resourceUsage().maxRSS / 1024;
    writeFileSync(file, JSON.stringify({ maxLagMs, maxRssMb, starts }));
  });
}
