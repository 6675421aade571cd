import type { EndpointStatus } from "indusagi/interop";
import type { Run } from "../../boot/internal.ts";
import { stderrTeller } from "../../screen/index.ts";
import { plainStatus, serverReport, showStatuses, showStatusLine } from "../../servers/doctor/index.ts";
import type { OpenServers } from "../../servers/open/index.ts";

/** Prints a table of the servers that are ready or have failed, and reports changes from then on. */
export function startServerLog(run: Run, servers: OpenServers): void {
  const { terminal, report } = run;
  const statuses = servers.statuses();
  const { log } = terminal;
  if (log) {
    const logServer = (status: EndpointStatus): void => {
      const { hasFailed, isOutdated } = serverReport(status);
      log({ level: hasFailed || isOutdated ? "warning" : "info", event: "server", ...plainStatus(status) });
    };
    for (const status of statuses) logServer(status);
    run.defer(servers.fleet.onStatus(newsReporter(servers, statuses, logServer)));
    return run.defer(servers.fleet.onStatus(rowNoteReporter(statuses, report)));
  }
  const tellStderr = stderrTeller();
  // A starting server gets its line when it is ready or has failed.
  const settled = statuses.filter((status) => !serverReport(status).isStarting);
  if (settled.length > 0) terminal.err(`${showStatuses(settled.map(withoutReported), terminal.errLook)}\n`);
  for (const status of settled) terminal.err(tellStderr(status));
  const starting = statuses.filter((status) => !settled.includes(status)).map(({ server }) => server);
  if (starting.length > 0) report(`still starting: ${starting.join(", ")}`);
  // Deferred: stopping the servers at shutdown is not reported.
  const reportNews = (status: EndpointStatus): void => {
    if (serverReport(status).isForbidden) return;
    report(showStatusLine(status));
    terminal.err(tellStderr(status));
  };
  run.defer(servers.fleet.onStatus(newsReporter(servers, statuses, reportNews)));
  run.defer(servers.fleet.onStatus(rowNoteReporter(settled, report)));
}

/** Why a server may not be started was reported when its row was read. */
function withoutReported(status: EndpointStatus): EndpointStatus {
  const { summary: _, ...rest } = status;
  return serverReport(status).isForbidden ? rest : status;
}

/**
 * Reports once what a row names that its server does not have, and what is left out of the server's lists, unless `shown` already
 * said so. A row can be edited while it is served.
 */
function rowNoteReporter(
  shown: readonly EndpointStatus[],
  report: (message: string) => void,
): (status: EndpointStatus) => void {
  const linesOf = ({ server, rowNotes = [], leftOut = [] }: EndpointStatus): string[] =>
    [...rowNotes, ...leftOut].map((note) => `server "${server}": ${note}`);
  const reported = new Set(shown.flatMap(linesOf));
  return (status) => {
    for (const line of linesOf(status)) {
      if (!reported.has(line)) report(line);
      reported.add(line);
    }
  };
}

/** Reports a server when its state differs from the last one reported, not on every attempt to connect. */
function newsReporter(
  { fleet }: Pick<OpenServers, "fleet">,
  statuses: readonly EndpointStatus[],
  report: (status: EndpointStatus) => void,
): (status: EndpointStatus) => void {
  const reported = new Map(statuses.map((status) => [status.server, newsIn(status)]));
  const reportNow = (status: EndpointStatus): void => {
    const { isStarting, standing } = serverReport(status);
    const news = newsIn(status);
    if (isStarting || standing === "closed" || reported.get(status.server) === news) return;
    reported.set(status.server, news);
    report(status);
  };
  return (status) => {
    if (!serverReport(status).mayBeListing) return reportNow(status);
    // It is ready before its tools are listed. Wait for their number instead of printing a second line.
    void listed(fleet, status.server).then((now) => now && reportNow(now));
  };
}

/** The status of a server after its listing. Undefined if it was removed in the meantime. */
async function listed(fleet: OpenServers["fleet"], server: string): Promise<EndpointStatus | undefined> {
  await fleet
    .endpoint(server)
    ?.listTools()
    .catch(() => {});
  await new Promise(setImmediate); // The fleet gets the listing in this turn.
  return fleet.statusOf(server);
}

/**
 * The part of a status whose change is worth a line in the log. A lazy server that stops and starts is not. The text of a failure may differ between attempts, and an open breaker
 * is news only if the server's tools are no longer offered.
 */
function newsIn(status: EndpointStatus): string {
  const { standing, state } = serverReport(status);
  const { fault, listFailure, toolCount } = status;
  return JSON.stringify([
    state === "tripped" ? "restarting" : standing,
    state === "slow",
    fault?.kind ?? listFailure,
    toolCount,
  ]);
}
