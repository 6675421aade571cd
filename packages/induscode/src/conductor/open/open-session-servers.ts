import { shellWord } from "indusagi/core";
import { type EndpointStatus, folderRoots, type ServerConfig } from "indusagi/interop";
import { firstOf, type Run } from "../../boot/internal.ts";
import { waitingLine } from "../../screen/terminal/index.ts";
import { serverReport, showStatusLine, showWaiting } from "../../servers/doctor/index.ts";
import { useRunningServers } from "../../servers/internal.ts";
import {
  type OpenServers,
  type OpenServersOptions,
  openServers,
  requiredProblem,
} from "../../servers/open/index.ts";

export interface SessionServersOptions extends Partial<OpenServersOptions> {
  /** How long to wait for servers whose tools are not known. Default: 5 s, or less for those that show no sign of work. */
  readonly waitMs?: number | undefined;
  /** The same for a session of one turn, which late servers cannot join. */
  readonly onlyTurnWaitMs?: number | undefined;
}

const WAIT_MS = 5_000;

/**
 * Connects to all servers in parallel and waits for those whose tools are not known, for a limited time. Reports what is missing
 * then, with the reason; late servers join live. Rejects if a required server is still not ready after retries.
 */
export async function openSessionServers(
  run: Run,
  configs: readonly ServerConfig[],
  { waitMs, onlyTurnWaitMs, offerLastKnown = false, ...options }: SessionServersOptions = {},
): Promise<OpenServers> {
  const { signal, terminal, report } = run;
  const answers = folderRoots(run.cwd);
  let isOpen = false;
  await useRunningServers(run, configs);
  const servers = await openServers(run, {
    answers,
    ...options,
    offerLastKnown,
    servers: configs,
    report,
    requiredWaitMs: waitMs ?? WAIT_MS,
    // Nobody waited for it, so its failure is news.
    onSettled: (status) => {
      if (isOpen && serverReport(status).hasFailed) report(showStatusLine(status));
    },
  });
  const waiting = waitingLine(run, (ms) => {
    const starting = servers.statuses().filter((status) => serverReport(status).isStarting);
    return showWaiting(
      starting.map(({ server }) => server),
      ms,
      terminal.errLook?.width,
    );
  });
  let down: string | undefined;
  void servers.requiredDown.then((id) => (down = id));
  // A user who says how long to wait means every server; so does a program that offers only what is running.
  const answered = waitMs !== undefined || !offerLastKnown ? servers.learned : servers.awaited;
  await firstOf([answered.then(() => untilRequired(servers)), servers.requiredDown], {
    signal,
    waitMs: onlyTurnWaitMs ?? waitMs ?? WAIT_MS,
  });
  waiting.stop();
  signal.throwIfAborted();
  const missing = down ?? servers.missingRequired();
  const isOnlyTurn = onlyTurnWaitMs !== undefined;
  for (const status of servers.statuses())
    if (status.server !== missing) reportMissing(status, { servers, isOnlyTurn, report });
  if (missing !== undefined) throw new Error(requiredProblem(servers.fleet, missing));
  isOpen = true;
  return servers;
}

/** Resolves when every required server is ready. The user does not wait for retries of the others. */
async function untilRequired(servers: OpenServers): Promise<void> {
  if (servers.missingRequired() === undefined) return;
  await new Promise<void>((resolve) => {
    const check = (): void => {
      if (servers.missingRequired() === undefined) resolve();
    };
    servers.fleet.onStatus(check);
    servers.onListed(check);
  });
}

interface MissingOptions {
  readonly servers: OpenServers;
  readonly isOnlyTurn: boolean;
  readonly report: (message: string) => void;
}

/** A server that is starting is missing only if its tools are: calls of known tools wait for it. */
function reportMissing(status: EndpointStatus, { servers, isOnlyTurn, report }: MissingOptions): void {
  const { server, isStarting, hasFailed } = serverReport(status);
  if (hasFailed) return report(showStatusLine(status));
  const isOffered = servers.box.descriptors().some(({ origin }) => origin?.server === server);
  if (!isStarting || isOffered) return;
  const joins = isOnlyTurn ? "this run continues without its tools" : "its tools join when it is ready";
  if (servers.isGivenUp(server))
    return report(
      `server "${server}" did not answer in its last starts, so nothing waits for it; ${joins}; to find out why, run: indus mcp doctor ${shellWord(server)}`,
    );
  const hint = isOnlyTurn ? "; --wait SECONDS waits longer" : "";
  report(`server "${server}" is still starting; ${joins}${hint}`);
}
