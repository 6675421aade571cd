import { describeError } from "indusagi/core";
import type { EndpointStatus } from "indusagi/interop";
import {
  demoServers,
  type FoundServers,
  firstOf,
  type Gateway,
  type OpenServers,
  type Run,
  stdioLaunch,
} from "../boot/internal.ts";
import type { ServeRequest } from "../launch/internal.ts";
import {
  hasFailed,
  plainStatus,
  showClientSetup,
  showStatuses,
  showStatusLine,
  showStderr,
  showToolCost,
} from "../screen/index.ts";

/** `indus serve`: offers native tools and the tools of all servers to MCP clients, until it is stopped. */
export async function serve(run: Run, request: ServeRequest): Promise<number> {
  const { terminal, signal, report } = run;
  const { transport, waitMs, profile, listing, policy, sources, lazy, previewOver } = request;
  let showLog = (): void => {};
  try {
    const served = await servedServers(run, request);
    if (!served) return 1;
    const { servers, token, needsToken, ...gateway } = await run.openGateway({
      ...served.now,
      lazy,
      transport,
      profile,
      listing,
      policy,
      selection: sources,
      ...(waitMs === undefined ? {} : { waitMs }),
      ...(previewOver === undefined ? {} : { previewOver }),
    });
    if (signal.aborted) return reportEnd(run);
    served.follow((configuration) => void gateway.apply(configuration));
    showLog = once(() => startLog(run, servers));
    const shown = firstOf([servers.settled], { signal, waitMs: TABLE_MS }).then(() => {
      if (!signal.aborted) showLog();
    });
    const showReady = (setup: string): void =>
      void shown.then(() => {
        if (signal.aborted) return;
        const cost = gateway.toolCost();
        if (cost.tools > 0) report(showToolCost(cost));
        terminal.err(setup);
      });
    if (transport.kind === "stdio") showReady("");
    await gateway.serve((url) => {
      terminal.out(`${url}\n`);
      if (token !== undefined) report(`clients need this token: ${TOKEN_VARIABLE}=${token}`);
      else if (needsToken && givenToken(request) === undefined)
        report("clients need a token; indus token list shows who has one");
      if (terminal.log) terminal.log({ level: "info", event: "listening", url });
      showReady(terminal.log ? "" : clientSetup(run, request, { url, needsToken }));
    });
    return reportEnd(run);
  } catch (thrown) {
    showLog();
    report(describeError(thrown));
    return isWrongUsage(thrown) ? 2 : 1;
  }
}

/** A rule of `--allow` or `--deny` that cannot be read, or an address for other machines without a token. */
function isWrongUsage(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    "kind" in thrown &&
    (thrown.kind === "bad_rule" || thrown.kind === "needs_token")
  );
}

type Configuration = Parameters<Gateway["apply"]>[0];

/** What is served, and how to learn about changes. */
interface Served {
  readonly now: Configuration & { readonly protect?: readonly string[] };
  follow(apply: (configuration: Configuration) => void): void;
}

/** Without sources a demonstration serves its own servers only: it should not start those of the user. */
async function servedServers(run: Run, { demo, sources }: ServeRequest): Promise<Served | undefined> {
  const extra = demo ? demoServers() : [];
  if (demo && sources.mcp.length + sources.run.length === 0)
    return { now: { servers: extra }, follow: () => {} };
  const watched = await run.watchServers(sources);
  if (!watched) return undefined;
  const configuration = ({ configs, profiles, rowProblems }: FoundServers): Configuration => ({
    servers: [...extra, ...configs],
    profiles,
    rowProblems,
  });
  return {
    now: { ...configuration(watched.found), protect: watched.found.files },
    follow: (apply) => watched.follow((found) => apply(configuration(found))),
  };
}

/** A server that ends without a word is hard to tell from one that crashed. Returns the exit code. */
function reportEnd({ signal, report }: Run): number {
  const why = signal.aborted ? describeError(signal.reason) : "the client closed standard input";
  report(`ending: ${why}`);
  return 0;
}

/** The variable in which a client keeps a token that is not in one of ours. */
const TOKEN_VARIABLE = "INDUS_TOKEN";

/** The variable that holds the token, if one is named. */
function givenToken({ transport }: Pick<ServeRequest, "transport">): string | undefined {
  return transport.kind === "http" ? transport.tokenEnv : undefined;
}

function clientSetup(
  { terminal, cwd }: Run,
  { transport, ...served }: ServeRequest,
  { url, needsToken }: { readonly url: string; readonly needsToken: boolean },
): string {
  return showClientSetup({
    url,
    launch: stdioLaunch({ ...served, cwd }),
    tokenEnv: needsToken ? (givenToken({ transport }) ?? TOKEN_VARIABLE) : undefined,
    ending:
      terminal.errIsScreen || served.demo
        ? "Press Ctrl-C to stop."
        : `To stop it, end process ${process.pid}.`,
  });
}

/** Servers that take longer to start have their line in the log later, beside the table. */
const TABLE_MS = 5_000;

/** Shows the servers that are ready or have failed as a table, and reports changes from then on. */
function startLog(run: Run, servers: OpenServers): void {
  const { terminal, report } = run;
  const statuses = servers.statuses();
  const { log } = terminal;
  if (log) {
    const logServer = (status: EndpointStatus): void =>
      log({ level: hasFailed(status) ? "warning" : "info", event: "server", ...plainStatus(status) });
    for (const status of statuses) logServer(status);
    run.defer(servers.fleet.onStatus(newsReporter(servers, statuses, logServer)));
    return run.defer(servers.fleet.onStatus(rowNoteReporter(statuses, report)));
  }
  // A server that still starts gets its one line when it is ready or has failed.
  const settled = statuses.filter((status) => !isStarting(status));
  if (settled.length > 0) terminal.err(`${showStatuses(settled, terminal.errLook)}\n`);
  for (const status of settled) terminal.err(showStderr(status));
  const starting = statuses.filter(isStarting).map(({ server }) => server);
  if (starting.length > 0) report(`still starting: ${starting.join(", ")}`);
  // Deferred, so that the end of the servers at shutdown is not reported.
  const reportNews = (status: EndpointStatus): void => {
    if (isRefused(status)) return;
    report(showStatusLine(status));
    terminal.err(showStderr(status));
  };
  run.defer(servers.fleet.onStatus(newsReporter(servers, statuses, reportNews)));
  run.defer(servers.fleet.onStatus(rowNoteReporter(settled, report)));
}

/** Such a server is never started, and the mount has reported why. */
function isRefused({ fault }: EndpointStatus): boolean {
  return fault?.reason === "unsupported" || fault?.reason === "untrusted";
}

/** Reports once what the row of a server names and the server does not have, unless `shown` said so. A row can be edited while it is served. */
function rowNoteReporter(
  shown: readonly EndpointStatus[],
  report: (message: string) => void,
): (status: EndpointStatus) => void {
  const linesOf = ({ server, rowNotes = [] }: EndpointStatus): string[] =>
    rowNotes.map((note) => `server "${server}": ${note}`);
  const reported = new Set(shown.flatMap(linesOf));
  return (status) => {
    for (const line of linesOf(status)) {
      if (!reported.has(line)) report(line);
      reported.add(line);
    }
  };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}

/** Reports a server when its state differs from the last one reported, not at each attempt to connect. */
function newsReporter(
  { fleet }: Pick<OpenServers, "fleet">,
  statuses: readonly EndpointStatus[],
  report: (status: EndpointStatus) => void,
): (status: EndpointStatus) => void {
  const reported = new Map(statuses.map((status) => [status.server, newsIn(status)]));
  const reportNow = (status: EndpointStatus): void => {
    const isPassing = isStarting(status) || status.phase === "closing" || status.phase === "closed";
    const news = newsIn(status);
    if (isPassing || reported.get(status.server) === news) return;
    reported.set(status.server, news);
    report(status);
  };
  return (status) => {
    if (!mayBeListing(status)) return reportNow(status);
    // A second line would follow with the number of its tools.
    void listed(fleet, status.server).then((now) => now && reportNow(now));
  };
}

/** A server is ready before its tools are listed. */
function mayBeListing({ phase, toolCount, listFailure }: EndpointStatus): boolean {
  return phase === "ready" && toolCount === 0 && listFailure === undefined;
}

/** The status of a server after its listing. Undefined if it was removed meanwhile. */
async function listed(fleet: OpenServers["fleet"], server: string): Promise<EndpointStatus | undefined> {
  await fleet
    .endpoint(server)
    ?.listTools()
    .catch(() => {});
  await new Promise(setImmediate); // The fleet gets the listing in this turn.
  return fleet.status().get(server);
}

/**
 * What is worth a line in the log. A server that stops and starts because it is used from time to time is none. The text about a failure may differ from one attempt to the next, and the breaker that
 * opens after several attempts is news only if the tools of the server are no longer offered.
 */
function newsIn({ phase, state, toolCount, fault, listFailure }: EndpointStatus): string {
  const isFailing = state === "restarting" || state === "tripped";
  const isDormant = state === "dormant";
  return JSON.stringify([
    isDormant ? "ready" : phase,
    isFailing ? "" : isDormant ? undefined : state,
    phase === "ready" ? listFailure : fault?.kind,
    toolCount,
  ]);
}

function isStarting({ phase, state }: EndpointStatus): boolean {
  return state !== "dormant" && (phase === "connecting" || phase === "idle");
}
