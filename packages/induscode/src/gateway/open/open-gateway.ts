import { describeError, Listeners } from "indusagi/core";
import {
  type BoxSource,
  type ClashRecord,
  createClientLink,
  type DeclaredCapabilities,
  type FleetRelay,
  type HttpListener,
  type HttpListenerStats,
  type HttpPage,
  type ProviderHost,
  RELAYED_EXTENSIONS,
  type ReloadReport,
  relayFleet,
  serveStdio,
  skillsFolder,
} from "indusagi/interop";
import type { Caller, ClientInfo, ToolBox } from "indusagi/runtime";
import { firstOf, productVersion, type Run } from "../../boot/internal.ts";
import { selectTools } from "../../boot/tools/internal.ts";
import { isMountedPattern } from "../../launch/internal.ts";
import type { RowProblem } from "../../servers/find/index.ts";
import { MAX_NAME_CHARS } from "../../servers/internal.ts";
import { openClashedUris } from "../../servers/memory/index.ts";
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
  type CallObserver,
  type GatewayTokens,
  gatewayMetrics,
  listen,
  listingCost,
  listingPatienceMs,
  observedRelay,
  openPreviews,
  operationPages,
  type Route,
  routePath,
  type StatusBox,
  type StatusBoxOptions,
  shapeOf,
  statusBox,
  type TokenAccess,
  type ToolsMode,
} from "../index.ts";
import { type GatewayProfile, LiveProfiles, profileProblems } from "../routes/profiles.ts";
import { routeHostMaker, routeHosts } from "../routes/route-host.ts";
import { routeView } from "../routes/route-view.ts";
import { gatedBox } from "./gated-box.ts";
import { instructionTexts } from "./gateway-instructions.ts";
import type { Gateway, GatewayConfiguration, GatewayOptions, WorkerLinks } from "./gateway-options.ts";
import { ClientTable, type GatewayView, seenTools } from "./gateway-view.ts";
import { compactAtRest } from "./heap-at-rest.ts";
import { openAccess } from "./open-access.ts";
import { keepYoungHeapSmall } from "./small-young-heap.ts";
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
  if (!run.attachment) {
    void keepYoungHeapSmall(firstOf([servers.settled], { signal, waitMs: START_MS }));
    compactAtRest(signal);
  }
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
    observe: operations.observe,
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

/** The record of calls, and the pages for health and metrics. */
interface GatewayOperations {
  readonly observe: CallObserver;
  /** Who else gets each call. A plain set: this runs for each call. */
  readonly watchers: Set<CallObserver>;
  stats(): HttpListenerStats | undefined;
  readonly pages: { readonly [path: string]: HttpPage };
  /** Adds the listener's connections to the metrics, once it listens. */
  watched(listening: Promise<HttpListener>): Promise<HttpListener>;
}

interface OperationsOptions {
  readonly servers: OpenServers;
  /** Calls are counted only over HTTP, which has pages to show them. */
  readonly serves: "stdio" | "http";
  /** What each token allows. */
  readonly access: TokenAccess | undefined;
}

async function openOperations(
  { signal, state, terminal: { log } }: Run,
  { servers, serves, access }: OperationsOptions,
): Promise<GatewayOperations> {
  const trail = await state.auditTrail();
  let listener: HttpListener | undefined;
  const watchers = new Set<CallObserver>();
  const metrics = gatewayMetrics({
    version: productVersion(),
    statuses: () => servers.statuses(),
    listener: () => listener?.stats(),
  });
  return {
    observe: (record, input) => {
      trail?.record(record);
      for (const watch of watchers) watch(record, input);
      if (serves === "http") metrics.count(record);
      if (!log) return;
      const isBad = record.outcome === "failed" || record.outcome === "timeout";
      log({ level: isBad ? "warning" : "info", event: "call", ...record, arguments: shapeOf(input) });
    },
    watchers,
    stats: () => listener?.stats(),
    pages: operationPages({
      metrics,
      isEnding: () => signal.aborted,
      isReady: () => servers.missingRequired() === undefined,
      allowsAll: (principal) => access?.allowsAll(principal) ?? true,
    }),
    watched: async (listening) => {
      const opened = await listening;
      listener = opened;
      return opened;
    },
  };
}

interface GatewayRelayOptions {
  /** Resolves when the servers have begun to start. */
  readonly begun: () => Promise<void>;
  /** How long a list waits for servers whose items are not known. */
  readonly patienceMs: (client: ClientInfo | undefined) => number;
  /** Whether no list waits for a server. */
  readonly isSkipped: (server: string) => boolean;
  /** Called after each request to a server. */
  readonly observe: CallObserver;
  /** What each token allows. */
  readonly access: TokenAccess | undefined;
  /** A folder of skills to publish. */
  readonly skills: string | undefined;
  /** The key for the ids of tasks. */
  readonly taskKey: () => Uint8Array;
  /** Whether another gateway may be asked for what this one linked to. */
  readonly namesLinks: boolean;
}

/** What the servers have besides their tools, for the clients of a gateway. */
async function openGatewayRelay(
  run: Run,
  servers: OpenServers,
  { begun, patienceMs, isSkipped, observe, access, skills, taskKey, namesLinks }: GatewayRelayOptions,
): Promise<FleetRelay> {
  const clashes = await openClashes(run);
  const relay = relayFleet(servers.fleet, {
    relay: observedRelay(access?.limited(servers.relay) ?? servers.relay, observe),
    lastKnown: (server, kind, extensions) => {
      const known = servers.lastKnownItems(server, kind, extensions);
      return known ?? (extensions === "" && isSkipped(server) ? { server, items: [] } : undefined);
    },
    ...(clashes && { clashes }),
    declared: () => declaredBy(servers),
    nameLimit: MAX_NAME_CHARS,
    taskKey,
    namesLinks,
    begun,
    patienceMs,
    instructions: instructionTexts(servers),
    ...(skills !== undefined && { skills: skillsFolder(skills, { report: run.report }) }),
    report: run.report,
  });
  servers.onReview((server) => relay.reviewed(server, "prompts"));
  return relay;
}

/** What each server that may run declared when it connected, or when it was last listed. */
function* declaredBy(servers: OpenServers): DeclaredCapabilities {
  for (const { id, enabled = true, pending = false } of servers.configs())
    if (enabled && !pending) yield [id, servers.introductionOf(id)?.capabilities];
}

/** Continue without it: a clashing URI may then lose its prefix after a restart. */
async function openClashes(run: Run): Promise<ClashRecord | undefined> {
  if (run.state.sharedClashes) return run.state.sharedClashes;
  try {
    const { path } = await run.state.folder();
    const clashes = openClashedUris(path, { report: run.report });
    run.defer(async () => clashes[Symbol.asyncDispose]());
    return clashes;
  } catch {
    return undefined; // Opening the servers' catalogue, in the same folder, reports it.
  }
}

/** The unusable rows of a gateway. They change with its configuration. */
class RowProblems {
  readonly #changes = new Listeners();
  #problems: readonly RowProblem[];

  constructor(problems: readonly RowProblem[]) {
    this.#problems = problems;
  }

  of(server: string): string | undefined {
    return this.#problems.find((each) => each.server === server)?.problem;
  }

  all(): readonly RowProblem[] {
    return this.#problems;
  }

  replace(problems: readonly RowProblem[]): void {
    this.#problems = problems;
    this.#changes.emit();
  }

  /** Calls the listener when they may have changed, for as long as the gateway serves. */
  onChange(listener: () => void): void {
    this.#changes.add(listener);
  }
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

interface SeenParts extends Pick<GatewayStatusOptions, "servers"> {
  readonly profiles: LiveProfiles;
  readonly gated: Pick<Awaited<ReturnType<typeof gatedBox>>, "plain">;
  readonly status: StatusBox;
  readonly access: TokenAccess | undefined;
  readonly listing: ToolsMode;
}

/** Returns a function that finds what a principal sees at a route. The boxes are made when they are first asked for. */
function seenByClients(parts: SeenParts): GatewayView["seen"] {
  const { servers, access, gated, status, profiles, listing } = parts;
  const sources = new Map<string, BoxSource>();
  const sourceAt = (route: Route): BoxSource => {
    const path = routePath(route);
    const box = (): ToolBox => routeView(gated.plain, route, parts);
    const live = { status, onRows: (listener: () => void) => servers.onRows(listener) };
    const source = sources.get(path) ?? access?.boxes(box(), (each) => each, live) ?? box();
    sources.set(path, source);
    return source;
  };
  const modeAt = (route: Route, principal: string | undefined): ToolsMode => {
    if (route.kind === "server") return "all";
    const ofProfile = route.kind === "profile" ? profiles.find(route.name)?.listing : undefined;
    return access?.listing(principal) ?? ofProfile ?? listing;
  };
  return (principal, route) => {
    const source = sourceAt(route);
    const client = { key: "console", era: "modern", ...(principal !== undefined && { principal }) } as const;
    const box = typeof source === "function" ? source(client) : source;
    return seenTools(box, modeAt(route, principal));
  };
}

/** Reports problems of profiles, given the configured rows. */
type ProfileReporter = (
  profiles: NonNullable<GatewayOptions["profiles"]>,
  rows: GatewayOptions["servers"],
) => Promise<void>;

/** Reports each problem once, until it is fixed. */
function profileReporter(report: (message: string) => void): ProfileReporter {
  let reported: ReadonlySet<string> = new Set();
  return async (profiles, rows) => {
    const ids = rows.map(({ id }) => id);
    const found = await Promise.all(profiles.map((profile) => profileProblems(profile, ids)));
    const problems = new Set(found.flat());
    for (const problem of problems) if (!reported.has(problem)) report(problem);
    reported = problems;
  };
}

/** The tool patterns of tokens. An unusable file is reported when a token is checked. */
function tokenUses(tokens: Pick<GatewayTokens, "list"> | undefined): readonly PatternUse[] {
  try {
    return (tokens?.list() ?? []).flatMap(({ name, tools = [] }) =>
      tools.map((word) => ({ where: `token ${name}:`, word, isGrant: true })),
    );
  } catch {
    return [];
  }
}

/** The profiles' patterns for tools of servers. Their other words are matched more loosely, see `profileProblems`. */
function profileUses(profiles: readonly GatewayProfile[]): readonly PatternUse[] {
  return profiles.flatMap(({ name, tools = [] }) =>
    tools
      .filter(isMountedPattern)
      .map((word) => ({ where: `profile "${name}":`, word: word.trim(), isGrant: true })),
  );
}

interface ApplyOptions {
  readonly servers: OpenServers;
  readonly profiles: LiveProfiles;
  readonly rowProblems: RowProblems;
  readonly report: (message: string) => void;
  readonly reportProfiles: ProfileReporter;
}

/** Changes the rows and profiles of a serving gateway. Never rejects. */
async function applyConfiguration(
  { servers: rows, profiles: configured = [], rowProblems: problems = [] }: GatewayConfiguration,
  { servers, profiles, rowProblems, report, reportProfiles }: ApplyOptions,
): Promise<void> {
  profiles.replace(configured);
  rowProblems.replace(problems);
  await reportProfiles(configured, rows);
  try {
    const line = showChange(await servers.reload(rows));
    if (line !== undefined) report(line);
  } catch (thrown) {
    report(`the changed configuration cannot be used: ${describeError(thrown)}`);
  }
}

function showChange({ added, changed, removed }: ReloadReport): string | undefined {
  const parts = Object.entries({ added, changed, removed }).filter(([, ids]) => ids.length > 0);
  if (parts.length === 0) return undefined;
  return `the configuration changed: ${parts.map(([what, ids]) => `${what} ${ids.join(", ")}`).join("; ")}`;
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
