import {
  createClientLink,
  type HttpListener,
  type ProviderHost,
  RELAYED_EXTENSIONS,
  serveStdio,
} from "indusagi/interop";
import type { Caller, ClientInfo } from "indusagi/runtime";
import { firstOf, type Run } from "../../boot/internal.ts";
import { selectTools } from "../../boot/tools/internal.ts";
import { isMountedPattern } from "../../launch/internal.ts";
import {
  type OpenServers,
  type OpenServersOptions,
  openServers,
  ownToolNames,
  type PatternUse,
  reportPatterns,
  requiredProblem,
  ruleUses,
} from "../../servers/open/index.ts";
import {
  listen,
  listingCost,
  listingPatienceMs,
  openPreviews,
  type StatusBox,
  type StatusBoxOptions,
  statusBox,
} from "../index.ts";
import { LiveProfiles } from "../routes/profiles.ts";
import { routeHostMaker, routeHosts } from "../routes/route-host.ts";
import { gatedBox } from "./gated-box.ts";
import { openOperations } from "./gateway-operations.ts";
import type { Gateway, GatewayOptions, WorkerLinks } from "./gateway-options.ts";
import { openGatewayRelay } from "./gateway-relay.ts";
import { ClientTable, seenByClients } from "./gateway-view.ts";
import { keepMemorySmall } from "./keep-memory-small.ts";
import {
  applyConfiguration,
  profileReporter,
  profileUses,
  RowProblems,
  tokenUses,
} from "./live-configuration.ts";
import { openAccess } from "./open-access.ts";
import { openTaskKey } from "./task-key.ts";

/** Most clients send their first message immediately. Answer it before starting processes and loading the client library. */
const START_DELAY_MS = 50;
/** Later starts of single servers need no care for memory. */
const START_MS = 60_000;
/** In code mode a longer result of a program is previewed, also without --preview-over. */
const PROGRAM_RESULT_BYTES = 24_000;
/** How long servers wait for a stdio client's first list. */
const FIRST_LIST_WAIT_MS = 1_000;

/**
 * Opens a gateway without waiting for its servers: they start when it serves. Throws, with the fix, if it cannot be opened.
 */
export async function openGateway(
  run: Run,
  { servers: configs, transport, timeouts, waitMs, lazy = false, workers, ...offered }: GatewayOptions,
): Promise<Gateway> {
  const { signal, report } = run;
  // First: a missing token must not start servers.
  let approved = (): readonly string[] => [];
  const { access, http, tokens } = await openAccess(run, {
    ...{ ...offered, transport, workers, servers: configs },
    approved: () => approved(),
  });
  const link = createClientLink({ isOnlyClient: transport.kind === "stdio" });
  const { start, startSoon, started } = startSignal();
  const first = watchFirstList(transport.kind);
  void started.then(() => first.begin());
  const { tools: words = [] } = offered.selection ?? {};
  const servers = await openServers(run, {
    servers: configs,
    report,
    ...(words.length > 0 && { selection: selectTools(words) }),
    answers: link.answers,
    relays: { extensions: RELAYED_EXTENSIONS },
    patience: "caller", // The client decides how long to wait for a call.
    offerLastKnown: true,
    laziness: lazy ? "all" : "rows",
    mayGrow: true,
    ...(waitMs === undefined ? {} : { requiredWaitMs: waitMs }),
    startAfter: started, // A client that connects must not wait while we start processes.
    startKnownAfter: first.sent,
    ...(timeouts ? { timeouts } : {}),
    ...(workers && linkedServers(workers)),
  });
  if (workers) run.defer(workers.onLogin((server) => void servers.fleet.restart(server).catch(() => {})));
  approved = () => servers.approved();
  // A process with other clients does both once, for all of them.
  if (!run.attachment) keepMemorySmall(firstOf([servers.settled], { signal, waitMs: START_MS }), signal);
  link.attach(servers.fleet);
  // In a cluster the worker that owns a server records its tools.
  const record = (): void => {
    if (!workers && transport.kind !== "links") recordTools(run, servers, first.sent);
  };
  if (configs.length > 0) record();
  const { previewOver } = offered;
  const serves = transport.kind === "http" ? "http" : "stdio";
  const openedPreviews = await openPreviews({
    overBytes: previewOver ?? PROGRAM_RESULT_BYTES,
    serves,
    elsewhere: workers?.results,
  });
  const operations = await openOperations(run, { servers, access, serves });
  const begun = async (): Promise<void> => {
    start();
    await servers.begun;
  };
  const patienceMs = (client?: ClientInfo): number => waitMs ?? listingPatienceMs(client);
  // A user who says how long to wait means every server.
  const awaited = (server?: string): Promise<void> => {
    if (waitMs === undefined) return server === undefined ? servers.awaited : servers.awaitedOf(server);
    return server === undefined ? servers.learned : servers.learnedOf(server);
  };
  const relay = await openGatewayRelay(run, servers, {
    ...{ begun, patienceMs, access },
    isSkipped: (server) => servers.isGivenUp(server) || (waitMs === undefined && servers.isMute(server)),
    observe: operations.observe,
    skills: offered.skills,
    taskKey: workers ? () => workers.key : await openTaskKey(run),
    namesLinks: workers !== undefined,
    sealsTasks: transport.kind !== "links",
  });
  const allows = (caller: Caller | undefined, server: string): boolean =>
    access?.allowsServer(caller?.principal, server) ?? true;
  const rowProblems = new RowProblems(offered.rowProblems ?? []);
  const status = gatewayStatus(run, { servers, rowProblems, allows });
  const gated = await gatedBox(run, { servers, status }, { ...offered, transport, workers });
  const profiles = new LiveProfiles(offered.profile ?? "read-only", offered.profiles ?? []);
  const live = { servers, profiles, rowProblems, report, reportProfiles: profileReporter(report) };
  await live.reportProfiles(offered.profiles ?? [], configs);
  const uses = (): readonly PatternUse[] => [
    ...ruleUses(offered.policy),
    ...tokenUses(tokens),
    ...profileUses(profiles.all()),
  ];
  run.defer(reportPatterns(servers, { uses, own: () => ownToolNames(gated.plain), report }));
  const connected = new ClientTable();
  const createHost = routeHostMaker({
    ...live,
    ...{ relay, gated, status, access, allows, begun, patienceMs, awaited, signal },
    listing: offered.listing ?? "all",
    // Each gateway of a cluster knows other calls, and clients would see other lists.
    listsRecent: workers === undefined,
    bareAppNames: offered.bareAppNames ?? false,
    taskAfterMs: offered.taskAfterMs,
    hasToolRules: toolRules(servers, offered),
    // A worker keeps no record of calls: its gateways do, who know the clients.
    observe: transport.kind === "links" && !run.terminal.log ? undefined : operations.observe,
    previews: previewOver === undefined ? undefined : openedPreviews,
    programPreviews: openedPreviews,
    clients: link,
    connected,
    onFirstList: () => first.note(),
    link: transport.kind === "links",
    stateKey: workers?.key,
  });
  const seenAt = seenByClients({ ...live, gated, status, access, listing: offered.listing ?? "all" });
  const linked = new Map<string, ProviderHost>();
  return {
    hostOf: (id) => {
      const host = linked.get(id) ?? createHost({ kind: "server", id });
      linked.set(id, host);
      return host;
    },
    servers,
    view: {
      onCall: (listener) => {
        operations.watchers.add(listener);
        return () => void operations.watchers.delete(listener);
      },
      clients: () => connected.all(),
      onClients: (listener) => connected.onChange(listener),
      seen: seenAt,
      host: (route) => createHost(route, true),
      stats: () => operations.stats(),
      rowProblems: () => rowProblems.all(),
    },
    listingCost: () => listingCost(gated.plain, offered.listing),
    needsToken: http?.needsToken ?? false,
    token: http?.madeToken,
    apply: async (configuration) => {
      await applyConfiguration(configuration, live);
      if (configuration.servers.length > 0) record();
    },
    serve: async (onListening, site) => {
      if (transport.kind === "links") {
        start();
        return firstOf([], { signal });
      }
      const host = createHost({ kind: "all" });
      const routes = routeHosts({ ...live, access }, createHost);
      const down = servers.requiredDown.then((id) => {
        throw new Error(requiredProblem(servers.fleet, id));
      });
      const { pages } = operations;
      const serving = http
        ? serveOverHttp(
            run,
            () =>
              operations.watched(
                listen(host, { ...http.prepared, routes, pages, site, elsewhere: workers?.sessions }, report),
              ),
            {
              start: startSoon,
              onListening: (url) => {
                workers?.sessions.listening(url);
                onListening(url);
              },
            },
          )
        : serveOverStdio(run, host, startSoon);
      await Promise.race([serving, down]);
    },
  };
}

/** A worker takes its time: it may have to be found, or has to install the server first. */
const LINK_MS = 185_000;
/**
 * How often a server failed is counted by its worker. Here it is only asked for again: at once if it was there, even if that worker
 * was the fifth in a minute.
 */
const ASKED_AGAIN = {
  ...{ firstDelayMs: 100, maxDelayMs: 5_000 },
  breaker: { failures: 1_000_000, withinMs: 0 },
} as const;

/** How servers are opened whose processes run on workers. */
function linkedServers(workers: WorkerLinks): Partial<OpenServersOptions> {
  return {
    transport: (config) => workers.transport(config),
    link: true,
    probeMs: LINK_MS,
    timeouts: { connectMs: LINK_MS },
    supervision: { ...ASKED_AGAIN, health: false },
  };
}

/** Whether something limits the tools of a server: a rule, a mode, `--tools`, its row, or a tool that is withheld. */
function toolRules(
  servers: OpenServers,
  { policy, selection }: Pick<GatewayOptions, "policy" | "selection">,
): (server: string) => boolean {
  const { mode = "default", deny = [] } = policy ?? {};
  const isRuled = mode === "plan" || deny.length > 0 || (selection?.tools ?? []).some(isMountedPattern);
  return (server) => {
    const row = servers.configs().find(({ id }) => id === server);
    const isFiltered = row?.includeTools !== undefined || row?.excludeTools !== undefined;
    return isRuled || isFiltered || servers.fleet.withheld(server).length > 0;
  };
}

/** Starts the servers: immediately, or shortly after clients can connect. */
function startSignal(): {
  readonly started: Promise<void>;
  readonly start: () => void;
  readonly startSoon: () => void;
} {
  let start = (): void => {};
  const started = new Promise<void>((resolve) => (start = resolve));
  return { started, start, startSoon: () => void setTimeout(start, START_DELAY_MS).unref() };
}

/** The first list of tools that a client gets. */
interface FirstList {
  /** Resolves when it was sent, or a second after the servers may start if no client asks for it. */
  readonly sent: Promise<void>;
  /** The servers may start. */
  begin(): void;
  /** It has been sent. */
  note(): void;
}

/**
 * Over stdio the client that started us asks for its tools immediately. Starting processes and hashing for the ledger would delay
 * the answer, so they wait for it. Over HTTP clients may connect at any time, and nothing waits for them.
 */
function watchFirstList(transport: GatewayOptions["transport"]["kind"]): FirstList {
  let note = (): void => {};
  const sent = new Promise<void>((resolve) => (note = resolve));
  return {
    sent,
    begin: () => {
      if (transport !== "stdio") note();
      else setTimeout(note, FIRST_LIST_WAIT_MS).unref();
    },
    note,
  };
}

/** Does not wait for the disk: clients come first. Changes before `after` are recorded when it resolves. */
function recordTools(run: Run, servers: OpenServers, after: Promise<unknown>): void {
  // `follow` reports a log that cannot be written.
  void servers.begun.then(() => run.state.follow(servers.box, after)).catch(() => {});
}

interface GatewayStatusOptions extends Pick<StatusBoxOptions, "allows"> {
  readonly servers: OpenServers;
  readonly rowProblems: RowProblems;
}

/** The tool that tells clients which servers need the user's attention. */
function gatewayStatus({ cwd }: Run, { servers, rowProblems, allows }: GatewayStatusOptions): StatusBox {
  return statusBox(servers.fleet, {
    allows,
    // The user often does not know in which folder the client started us.
    cwd,
    withheldPrompts: (server) => servers.withheldPrompts(server),
    leftOutItems: (server) => servers.leftOutItems.of(server),
    rowProblem: (server) => rowProblems.of(server),
    onReview: (listener) => {
      servers.onWithheldPrompts(listener);
      servers.leftOutItems.onChange(listener);
      rowProblems.onChange(listener);
    },
  });
}

async function serveOverHttp(
  run: Run,
  open: () => Promise<HttpListener>,
  { start, onListening }: { readonly start: () => void; readonly onListening: (url: string) => void },
): Promise<void> {
  const listener = await open();
  run.defer(() => listener.close());
  onListening(listener.url);
  start();
  await firstOf([], { signal: run.signal });
}

async function serveOverStdio(run: Run, host: ProviderHost, start: () => void): Promise<void> {
  const { input, output } = run.attachment ?? {};
  const running = await serveStdio(host, input && output ? { stdin: input, stdout: output } : {});
  run.defer(() => running.cancel());
  start();
  await firstOf([running.waiting()], { signal: run.signal });
}
