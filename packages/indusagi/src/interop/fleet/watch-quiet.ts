import { isProtocolFault, type ProtocolFault } from "../contract/index.ts";
import type { EndpointLease } from "./endpoint-lease.ts";
import type { Supervision } from "./supervision-options.ts";

export interface QuietWatch {
  readonly tenure: EndpointLease;
  readonly rules: Supervision;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Nobody has used it for long enough to stop it. */
  readonly onIdle: () => void;
  /** It was asked whether it is still there and is not. */
  readonly onSilent: (fault: ProtocolFault) => void;
}

/** Watches a server nobody speaks to: asks it now and then, and gives it up once it has been idle for long enough. */
export async function watchQuiet(watch: QuietWatch): Promise<void> {
  const { tenure, rules, signal } = watch;
  const { clock, idleMs = Number.POSITIVE_INFINITY, checkMs = Number.POSITIVE_INFINITY } = rules;
  if (!Number.isFinite(Math.min(idleMs, checkMs))) return;
  let checkedMs = clock.monotonicMs();
  const remainingMs = (quietMs: number, sinceMs: number): number => sinceMs + quietMs - clock.monotonicMs();
  const untilIdle = (): number => remainingMs(idleMs, tenure.usedMs);
  const untilCheck = (): number => remainingMs(checkMs, Math.max(tenure.usedMs, checkedMs));
  for (;;) {
    if (!(await slept(watch, Math.min(untilIdle(), untilCheck())))) return;
    if (tenure.isInUse) {
      tenure.usedMs = clock.monotonicMs(); // A call under way has a deadline of its own.
      continue;
    }
    if (untilIdle() <= 0) return watch.onIdle();
    if (untilCheck() > 0) continue;
    const fault = await silenceOf(watch);
    if (signal.aborted) return;
    if (fault) return watch.onSilent(fault);
    checkedMs = clock.monotonicMs();
  }
}

async function slept({ rules, signal }: QuietWatch, ms: number): Promise<boolean> {
  try {
    await rules.clock.sleep(Math.max(1, ms), signal);
    return true;
  } catch {
    return false;
  }
}

/** Any answer is a sign of life, also an error; only silence and a broken connection are not. */
async function silenceOf({ tenure, rules, signal }: QuietWatch): Promise<ProtocolFault | undefined> {
  const { checkTimeoutMs: timeoutMs } = rules;
  try {
    const session = tenure.endpoint.session();
    await session.request(session.era === "modern" ? "server/discover" : "ping", {}, { timeoutMs, signal });
    return undefined;
  } catch (thrown) {
    const isSilent = isProtocolFault(thrown) && (thrown.kind === "timeout" || thrown.kind === "transport");
    return isSilent ? thrown : undefined;
  }
}
