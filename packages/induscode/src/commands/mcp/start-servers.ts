import type { EndpointStatus } from "indusagi/interop";
import { type FoundServers, firstOf, type OpenServers, type Run, waitingLine } from "../../boot/internal.ts";
import type { ServerSources } from "../../launch/internal.ts";
import { hasFailed, showStatusLine, showWaiting } from "../../screen/index.ts";
import { chosenServers } from "./chosen-servers.ts";

export interface StartRequest {
  readonly sources: ServerSources;
  /** The servers to start. Empty: all. */
  readonly names: readonly string[];
  /** What is looked for, such as a prompt. If its name begins as those of some servers do, only they are started. */
  readonly wanted?: string;
  /** Whether the row of a required server that cannot be used ends the command. Default: false. */
  readonly needsRequired?: boolean;
}

/** On small machines more than by default: the command has nothing else to do until all are ready. */
const START_CONCURRENCY = 12;

export interface StartedServers {
  readonly found: FoundServers;
  readonly servers: OpenServers;
}

/**
 * Starts the configured servers, all or those named, and waits until each is ready or has failed. Undefined if the command
 * must stop; the reason has been reported.
 */
export async function startServers(
  run: Run,
  { sources, names, wanted, needsRequired = false }: StartRequest,
): Promise<StartedServers | undefined> {
  const { terminal, signal, report } = run;
  const found = await run.findServers(sources, { withoutRequired: !needsRequired });
  const chosen = found && (await chosenServers(found, names, report));
  if (!chosen) return undefined;
  const likely = wanted === undefined ? [] : await run.likelyServers(wanted, chosen);
  const configs = likely.length > 0 ? likely : chosen;
  const servers = await run.openServers({
    servers: configs,
    supervision: false,
    report,
    startConcurrency: START_CONCURRENCY,
  });
  const waiting = waitingLine(run, (elapsedMs) => {
    const pending = configs.map(({ id }) => id).filter((id) => !servers.timesMs.has(id));
    return showWaiting(pending, elapsedMs, terminal.errLook?.width);
  });
  await firstOf([servers.settled], { signal });
  waiting.stop();
  return signal.aborted ? undefined : { found, servers };
}

/** The ids of the servers that can be used. */
export function readyServers(servers: OpenServers): readonly string[] {
  return servers.statuses().flatMap(({ phase, server }) => (phase === "ready" ? [server] : []));
}

/** Reports each server that failed, with the reason and the remedy. Returns the exit code: 1 if no server works. */
export function reportFailures({ report }: Run, servers: OpenServers): number {
  const statuses = servers.statuses();
  for (const status of statuses) if (hasFailed(status) && !isReported(status)) report(failureOf(status));
  return statuses.some((status) => status.phase === "ready" && !hasFailed(status)) ? 0 : 1;
}

/** A summary usually names the server itself. */
function failureOf(status: EndpointStatus): string {
  return status.summary?.startsWith("server ") ? status.summary : showStatusLine(status);
}

/** A mount reports such servers itself, because nothing else would. */
function isReported({ fault }: EndpointStatus): boolean {
  return fault?.reason === "untrusted" || fault?.reason === "unsupported";
}
