import { clientBox, type EndpointStatus, folderRoots, type ServerConfig } from "indusagi/interop";
import { firstOf, type Run } from "../../boot/internal.ts";
import type { LiveBridge } from "../../deck/attach/index.ts";
import { waitingLine } from "../../screen/terminal/index.ts";
import { serverReport, showStatusLine, showWaiting } from "../../servers/doctor/index.ts";
import {
  type OpenServers,
  type OpenServersOptions,
  openServers,
  requiredProblem,
} from "../../servers/open/index.ts";

/** The servers of a session, and the ledger of their tools, from which the deck takes them. */
export interface SessionServers {
  readonly servers: OpenServers;
  readonly bridge: LiveBridge;
}

export interface SessionServersOptions extends Partial<OpenServersOptions> {
  /** How long to wait for the servers. Default: 5 s. */
  readonly waitMs?: number | undefined;
  /**
   * The total wait for servers whose tools are not known yet: the session has only one turn, and they could not join later.
   * Default: no longer than for the others.
   */
  readonly onlyTurnWaitMs?: number | undefined;
}

const WAIT_MS = 5_000;

/**
 * Connects to all servers in parallel and waits for a limited time. Reports what is missing then, with the reason; late servers
 * join live. Rejects if a required server is still not ready after retries.
 */
export async function openSessionServers(
  run: Run,
  configs: readonly ServerConfig[],
  { waitMs = WAIT_MS, onlyTurnWaitMs, ...options }: SessionServersOptions = {},
): Promise<SessionServers> {
  const { signal, terminal, report } = run;
  const answers = folderRoots(run.cwd);
  const servers = await openServers(run, {
    answers,
    ...options,
    servers: configs,
    report,
    requiredWaitMs: waitMs,
  });
  // The model of a session shows no apps.
  const bridge = await run.state.follow(clientBox(servers.box, undefined));
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
  const until = (settled: Promise<void>, ms: number): Promise<void> =>
    firstOf([settled.then(() => untilRequired(servers)), servers.requiredDown], { signal, waitMs: ms });
  await until(servers.settled, waitMs);
  if (onlyTurnWaitMs !== undefined) await until(servers.learned, Math.max(0, onlyTurnWaitMs - waitMs));
  waiting.stop();
  signal.throwIfAborted();
  const missing = down ?? servers.missingRequired();
  const known = new Set(servers.box.descriptors().map(({ origin }) => origin?.server));
  const joins =
    onlyTurnWaitMs === undefined
      ? "its tools join when it is ready"
      : "this run continues without its tools; --wait SECONDS waits longer";
  for (const status of servers.statuses()) {
    const whileStarting = known.has(status.server) ? "calls of its tools wait for it" : joins;
    if (status.server !== missing) reportMissing(status, { whileStarting, report });
  }
  if (missing !== undefined) throw new Error(requiredProblem(servers.fleet, missing));
  return { servers, bridge };
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

function reportMissing(
  status: EndpointStatus,
  { whileStarting, report }: { readonly whileStarting: string; readonly report: (message: string) => void },
): void {
  const { server, isStarting, hasFailed } = serverReport(status);
  if (isStarting) report(`server "${server}" is still starting; ${whileStarting}`);
  else if (hasFailed) report(showStatusLine(status));
}
