import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8's heap for new objects small until a promise settles. While many servers start, much garbage is made within seconds, and
 * V8 would grow that heap to 32 MB and keep it: for 76 servers a fifth of our memory. Calls need the growth (without it they cost a
 * quarter more), so it is allowed again afterwards. Never rejects.
 */
export async function keepYoungHeapSmall(until: Promise<unknown>): Promise<void> {
  if (process.versions["bun"] !== undefined) return;
  setFlagsFromString("--semi-space-growth-factor=1");
  await until.catch(() => {});
  setFlagsFromString("--semi-space-growth-factor=2");
}
