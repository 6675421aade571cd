import { createClientLink } from "indusagi/interop";
import type { Caller, ClientInfo } from "indusagi/runtime";
import { listen, listingPatienceMs, openPreviews, type TokenStore, toolCost } from "../../gateway/index.ts";
import { isMountedPattern } from "../../launch/internal.ts";
import type { OpenServers } from "../servers/open-servers.ts";
import { ownToolNames, type PatternUse, reportPatterns, ruleUses } from "../servers/report-patterns.ts";
import { selectTools } from "../session/select-tools.ts";
import { applyConfiguration, profileReporter } from "./apply-configuration.ts";
import { gatedBox } from "./gated-box.ts";
import type { Gateway, GatewayOptions, GatewayRun } from "./gateway-options.ts";
import { openGatewayRelay } from "./gateway-relay.ts";
import { gatewayStatus } from "./gateway-status.ts";
import { openAccess } from "./open-access.ts";
import { openOperations } from "./operations.ts";
import { LiveProfiles } from "./routes/live-profiles.ts";
import type { GatewayProfile } from "./routes/profiles.ts";
import { routeHostMaker } from "./routes/route-host.ts";
import { routeHosts } from "./routes/route-hosts.ts";
import { RowProblems } from "./row-problems.ts";
import { serveOverHttp, serveOverStdio } from "./serve-transport.ts";
import { watchFirstList } from "./watch-first-list.ts";

/** Most clients send their first message at once. It is answered before we start processes and load the client library. */
const START_DELAY_MS = 50;

/**
 * Opens the tools of a gateway and does not wait for the servers: they start when it serves. Throws, with the remedy, if it
 * cannot be opened.
 */
export async function openGateway(
  run: GatewayRun,
  { servers: configs, transport, timeouts, waitMs, lazy = false, ...offered }: GatewayOptions,
): Promise<Gateway> {
  const { signal, report } = run;
  // First, so that no server is started for a token that does not exist.
  let approved = (): readonly string[] => [];
  const { access, http, tokens } = await openAccess(run, {
    ...{ ...offered, transport, servers: configs },
    approved: () => approved(),
  });
  const link = createClientLink({ isOnlyClient: transport.kind === "stdio" });
  const { start, startSoon, started } = startSignal();
  const first = watchFirstList(transport.kind);
  void started.then(() => first.begin());
  const { tools: words = [] } = offered.selection ?? {};
  const servers = await run.openServers({
    servers: configs,
    report,
    ...(words.length > 0 && { selection: selectTools(words) }),
    answers: link.answers,
    patience: "caller", // A client must not be cut off earlier than by the server itself.
    offerLastKnown: true,
    laziness: lazy ? "all" : "rows",
    mayGrow: true,
    ...(waitMs === undefined ? {} : { requiredWaitMs: waitMs }),
    startAfter: started, // A client that connects must not wait while we start processes.
    startKnownAfter: first.sent,
    ...(timeouts ? { timeouts } : {}),
  });
  approved = () => servers.approved();
  link.attach(servers.fleet);
  if (configs.length > 0) recordTools(run, servers, first.sent);
  const { previewOver } = offered;
  const previews =
    previewOver === undefined
      ? undefined
      : await openPreviews({ overBytes: previewOver, serves: transport.kind });
  const operations = await openOperations(run, { servers, access, serves: transport.kind });
  const begun = async (): Promise<void> => {
    start();
    await servers.begun;
  };
  const patienceMs = (client?: ClientInfo): number => waitMs ?? listingPatienceMs(client);
  const relay = await openGatewayRelay(run, servers, {
    ...{ begun, patienceMs, access },
    observe: operations.observe,
  });
  const allows = (caller: Caller | undefined, server: string): boolean =>
    access?.allowsServer(caller?.principal, server) ?? true;
  const rowProblems = new RowProblems(offered.rowProblems ?? []);
  const status = gatewayStatus(run, { servers, rowProblems, allows });
  const gated = await gatedBox(run, { servers, status }, offered);
  const profiles = new LiveProfiles(offered.profile ?? "read-only", offered.profiles ?? []);
  const live = { servers, profiles, rowProblems, report, reportProfiles: profileReporter(report) };
  await live.reportProfiles(offered.profiles ?? [], configs);
  const uses = (): readonly PatternUse[] => [
    ...ruleUses(offered.policy),
    ...tokenUses(tokens),
    ...profileUses(profiles.all()),
  ];
  run.defer(reportPatterns(servers, { uses, own: () => ownToolNames(gated), report }));
  const createHost = routeHostMaker({
    ...live,
    ...{ relay, gated, status, access, allows, begun, patienceMs, signal },
    listing: offered.listing ?? "all",
    observe: operations.observe,
    previews,
    clients: link,
    onFirstList: () => first.note(),
  });
  return {
    servers,
    toolCost: () => toolCost(gated, offered.listing),
    needsToken: http?.needsToken ?? false,
    ...(http?.madeToken === undefined ? {} : { token: http.madeToken }),
    apply: async (configuration) => {
      await applyConfiguration(configuration, live);
      if (configuration.servers.length > 0) recordTools(run, servers, first.sent);
    },
    serve: async (onListening) => {
      const host = createHost({ kind: "all" });
      const routes = routeHosts({ ...live, access }, createHost);
      const down = servers.requiredDown.then((id) => {
        throw requiredIsDown(id);
      });
      const { pages } = operations;
      const serving = http
        ? serveOverHttp(
            run,
            () => operations.watched(listen(host, { ...http.prepared, routes, pages }, report)),
            {
              start: startSoon,
              onListening,
            },
          )
        : serveOverStdio(run, host, startSoon);
      await Promise.race([serving, down]);
    },
  };
}

/** The words of tokens. A file that cannot be used has none; it is reported when a token is checked. */
function tokenUses(tokens: Pick<TokenStore, "list"> | undefined): readonly PatternUse[] {
  try {
    return (tokens?.list() ?? []).flatMap(({ name, tools = [] }) =>
      tools.map((word) => ({ where: `token ${name}:`, word, isGrant: true })),
    );
  } catch {
    return [];
  }
}

/** The patterns of profiles for tools of servers. Their other words are compared more loosely, see `profileProblems`. */
function profileUses(profiles: readonly GatewayProfile[]): readonly PatternUse[] {
  return profiles.flatMap(({ name, tools = [] }) =>
    tools
      .filter(isMountedPattern)
      .map((word) => ({ where: `profile "${name}":`, word: word.trim(), isGrant: true })),
  );
}

/** When the servers start: at once, or soon after a client could connect. */
function startSignal(): {
  readonly started: Promise<void>;
  readonly start: () => void;
  readonly startSoon: () => void;
} {
  let start = (): void => {};
  const started = new Promise<void>((resolve) => (start = resolve));
  return { started, start, startSoon: () => void setTimeout(start, START_DELAY_MS).unref() };
}

/** The disk is not waited for: clients get their tools at once. What happens until `after` is recorded then. */
function recordTools(run: GatewayRun, servers: OpenServers, after: Promise<unknown>): void {
  // A log that cannot be written is reported.
  void servers.begun.then(() => run.openLedger(servers.box, after)).catch(() => {});
}

function requiredIsDown(id: string): Error {
  return new Error(`server "${id}" is required, but it is down; correct it or set "required": false`);
}
