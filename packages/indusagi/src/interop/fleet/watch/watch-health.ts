import { isProtocolFault, type ServerEndpoint } from "../../contract/index.ts";
import type { HealthOptions } from "../fleet-options.ts";

export interface HealthWatch {
  readonly endpoint: ServerEndpoint;
  readonly rules: Required<HealthOptions>;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

export type HealthVerdict = "answers" | "silent";

/**
 * Waits until a server is suspect, then probes it. It is suspect only after several calls passed their deadlines while nothing
 * at all arrived from it. Anything that arrives during the probes proves that it is alive. `undefined` after an abort.
 */
export async function healthVerdict(watch: HealthWatch): Promise<HealthVerdict | undefined> {
  const { traffic } = watch.endpoint;
  await when(watch, () => traffic.missed >= watch.rules.missed);
  if (watch.signal.aborted) return undefined;
  const receivedBefore = traffic.received;
  for (let round = 0; round < watch.rules.rounds; round++) {
    for (const method of probesOf(watch.endpoint)) {
      const isAnswered = await answersProbe(watch, method);
      if (watch.signal.aborted) return undefined;
      if (isAnswered || traffic.received !== receivedBefore) return "answers";
    }
  }
  return "silent";
}

/** Waits until something arrives from a silent server or no call waits for it. Returns whether something arrived. */
export async function hasReturned(watch: HealthWatch): Promise<boolean> {
  const { traffic } = watch.endpoint;
  await when(watch, () => traffic.missed === 0 || traffic.waiting === 0);
  return traffic.missed === 0;
}

/** Resolves as soon as the condition holds or the watch ends. */
function when({ endpoint, signal }: HealthWatch, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!signal.aborted && !holds()) return;
      stop();
      signal.removeEventListener("abort", check);
      resolve();
    };
    const stop = endpoint.traffic.onChange(check);
    signal.addEventListener("abort", check);
    check();
  });
}

function probesOf(endpoint: ServerEndpoint): readonly string[] {
  if (endpoint.phase !== "ready") return [];
  return endpoint.session().era === "modern" ? ["server/discover"] : ["ping", "tools/list"];
}

/** An error is an answer, too. A request that failed on its way is not. */
async function answersProbe({ endpoint, rules, signal }: HealthWatch, method: string): Promise<boolean> {
  const { probeMs } = rules;
  try {
    await endpoint.session().request(method, {}, { timeoutMs: probeMs, totalMs: probeMs, signal });
    return true;
  } catch (thrown) {
    return isProtocolFault(thrown) && (thrown.rpc !== undefined || thrown.details.status !== undefined);
  }
}
