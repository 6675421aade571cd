import { isProtocolFault, type ProtocolFault } from "../../contract/index.ts";
import type { EndpointLease } from "../endpoint-lease.ts";
import type { Supervision } from "../fleet-options.ts";

export interface UnusedWatch {
  readonly lease: EndpointLease;
  readonly rules: Supervision;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** True if the server must not be stopped although no call uses it. */
  readonly isNeeded: () => boolean;
  /** Called when the server has not been used for `idleMs`. */
  readonly onIdle: () => void;
  /** Called when the server did not answer a ping. */
  readonly onSilent: (fault: ProtocolFault) => void;
}

/** Watches a server while no call uses it: pings it every `checkMs` and reports when it has been idle for `idleMs`. */
export async function watchUnused(watch: UnusedWatch): Promise<void> {
  const { lease, rules, signal } = watch;
  const { clock, idleMs = Number.POSITIVE_INFINITY, checkMs = Number.POSITIVE_INFINITY } = rules;
  if (!Number.isFinite(Math.min(idleMs, checkMs))) return;
  let checkedMs = clock.monotonicMs();
  const remainingMs = (periodMs: number, sinceMs: number): number => sinceMs + periodMs - clock.monotonicMs();
  const untilIdle = (): number => remainingMs(idleMs, lease.usedMs);
  const untilCheck = (): number => remainingMs(checkMs, Math.max(lease.usedMs, checkedMs));
  for (;;) {
    if (!(await slept(watch, Math.min(untilIdle(), untilCheck())))) return;
    if (lease.isInUse) {
      lease.touch(); // A running call has a deadline of its own.
      continue;
    }
    if (untilIdle() <= 0 && watch.isNeeded()) lease.touch();
    if (untilIdle() <= 0) return watch.onIdle();
    if (untilCheck() > 0) continue;
    const fault = await ping(watch);
    if (signal.aborted) return;
    if (fault) return watch.onSilent(fault);
    checkedMs = clock.monotonicMs();
  }
}

async function slept({ rules, signal }: UnusedWatch, ms: number): Promise<boolean> {
  try {
    await rules.clock.sleep(Math.max(1, ms), signal);
    return !signal.aborted;
  } catch {
    return false;
  }
}

/** Returns a fault only if there was no answer at all: an error is an answer, too. */
async function ping({ lease, rules, signal }: UnusedWatch): Promise<ProtocolFault | undefined> {
  const { checkTimeoutMs: timeoutMs } = rules;
  try {
    const session = lease.endpoint.session();
    await session.request(session.era === "modern" ? "server/discover" : "ping", {}, { timeoutMs, signal });
    return undefined;
  } catch (thrown) {
    const isSilent = isProtocolFault(thrown) && (thrown.kind === "timeout" || thrown.kind === "transport");
    return isSilent ? thrown : undefined;
  }
}
