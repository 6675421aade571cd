import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Environment } from "indusagi/core";
import type { ServerConfig } from "indusagi/interop";
import type { ToolBox } from "indusagi/runtime";
import type { AuditRecords } from "../audit/index.ts";
import type { LiveBridge } from "../deck/attach/index.ts";
import type { Pins } from "../deck/pins/index.ts";
import type { ToolDeck } from "../deck/provision/index.ts";
import type { TrustStore } from "../deck/trust/index.ts";
import type { MachineFacts, PathRepair } from "../doctor/index.ts";
import type { Invocation } from "../launch/index.ts";
import type { ServerSources, ToolSelection } from "../launch/internal.ts";
import type { ModelListing } from "../models/index.ts";
import type { ServerLogs } from "../server-log/index.ts";
import type { StateFolder } from "../state/index.ts";
import type { OpenedSession, OpenSessionOptions } from "./agent/session-options.ts";
import type { AskOptions } from "./ask.ts";
import { createCloseStack } from "./close-stack.ts";
import type { Edits } from "./edits/open-edits.ts";
import type { Gateway, GatewayOptions, GatewayRun } from "./gateway/gateway-options.ts";
import type { LedgerRecords } from "./ledger/ledger-records.ts";
import type { RunLedger } from "./ledger/run-ledger.ts";
import type { OpenServers, RunServersOptions } from "./servers/open-servers.ts";
import type { PatternUse } from "./servers/report-patterns.ts";
import type { ServerLogins } from "./servers/server-logins.ts";
import type { ServerMemory } from "./servers/server-memory.ts";
import type { SessionToolsOptions } from "./session/build-session-tools.ts";
import type { LastKnownCards } from "./session/last-known-cards.ts";
import type { ToolFilter } from "./session/select-tools.ts";
import type { FindServersOptions, FoundServers } from "./sources/find-servers.ts";
import type { WatchedServers, WatchServersOptions } from "./sources/watch-servers.ts";
import type { Terminal } from "./terminal.ts";

export interface RunOptions {
  readonly terminal: Terminal;
  /** Aborts when the run should end. */
  readonly signal: AbortSignal;
  /** The workspace. Default: the current folder. */
  readonly cwd?: string;
  /** Default: the environment of this process. */
  readonly env?: Environment;
}

/**
 * One run of a command. Commands open everything through it, and nothing is opened before it is asked for. Closing the run
 * closes what was opened, in reverse order, also when a later part failed to open.
 */
export interface Run extends GatewayRun, AsyncDisposable {
  readonly terminal: Terminal;
  /** The workspace, absolute. */
  readonly cwd: string;
  /** Writes one line to standard error. Control characters are escaped. */
  readonly report: (message: string) => void;
  /** Opens a collection of native tools, which work in the workspace: all of it, or what `--tools` leaves. */
  openNativeTools(collection: string, selection?: Partial<ToolSelection>): Promise<ToolBox>;
  /**
   * The servers of the sources on the command line or, without any, those configured for the workspace. Starts nothing;
   * problems are reported. Undefined if the command must stop.
   */
  findServers(
    sources: ServerSources,
    options?: Partial<
      Pick<FindServersOptions, "withoutRequired" | "bestEffort" | "report" | "readPlace" | "lastGood">
    >,
  ): Promise<FoundServers | undefined>;
  /** The same, for a command that follows the changes of the configuration. */
  watchServers(
    sources: ServerSources,
    options?: Pick<WatchServersOptions, "everyMs">,
  ): Promise<WatchedServers | undefined>;
  /** The answers to `${input:…}` that were kept. Undefined if there are none, or if they cannot be read, which is reported. */
  keptInputs(): Promise<Environment | undefined>;
  /** The user's decisions about the servers of the workspace. Undefined if they cannot be read, which is reported. */
  trustStore(): Promise<TrustStore | undefined>;
  /** What earlier runs learned about the servers. Undefined if that cannot be kept, which is reported once. */
  serverMemory(): Promise<ServerMemory | undefined>;
  /** The ledger's log of this run. A command that neither serves nor decides anything makes none. */
  readonly ledger: RunLedger;
  /** After a start from a desktop: gives the programs of this run the `PATH` of the login shell. Never rejects. */
  repairPath(): Promise<void>;
  /** What earlier runs recorded about mounted tools. Rejects with a `StateError` if there is no folder for state. */
  records(): Promise<LedgerRecords>;
  /** The approved forms of tools. Undefined if they cannot be kept, which is reported with the memory of the servers. */
  pins(): Promise<Pins | undefined>;
  /** The logins of the user, in a folder that all workspaces share. Rejects if that folder cannot be used. */
  logins(): Promise<ServerLogins>;
  openServers(options: RunServersOptions): Promise<OpenServers>;
  /** Those of the servers that a tool of this name probably belongs to. Empty if nothing hints at any. */
  likelyServers(tool: string, servers: readonly ServerConfig[]): Promise<readonly ServerConfig[]>;
  /** The tools that servers offered when they were last listed. Starts nothing. */
  lastKnownCards(servers: readonly ServerConfig[]): Promise<LastKnownCards>;
  openGateway(options: GatewayOptions): Promise<Gateway>;
  /** What is wrong with patterns for tools, from what the servers listed when they last ran. Starts nothing. */
  patternProblems(uses: readonly PatternUse[]): Promise<readonly string[]>;
  /** What is known about this machine. Once servers are opened, also whether `PATH` was repaired for them. */
  machineFacts(): Promise<MachineFacts>;
  /** The logs of the servers that were opened in this workspace, by this and earlier runs. */
  serverLogs(): Promise<ServerLogs>;
  /** The calls that gateways of this workspace served. Rejects with a `StateError` if there is no folder for state. */
  audit(): Promise<AuditRecords>;
  /** Records what happens to the tools of the servers, in the log of this run. One box per run. */
  openLedger(box: ToolBox, after?: Promise<unknown>): Promise<LiveBridge>;
  /** Asks every provider for its models. Throws if there is no such account. */
  listModels(account: string | undefined): Promise<readonly ModelListing[]>;
  /** Opens a session with a model. Undefined if a source of servers cannot be used, which was reported. */
  openSession(invocation: Invocation, options: OpenSessionOptions): Promise<OpenedSession | undefined>;
  /** Opens the tools of a session. Undefined with `--no-tools`. */
  openSessionTools(
    selection: Partial<ToolSelection>,
    options: Omit<SessionToolsOptions, "cwd" | "report">,
  ): Promise<ToolDeck | undefined>;
  /** The files that commands change. Rejects if no copies of them can be kept. */
  edits(): Promise<Edits>;
  /** Asks the user. Undefined if there is no terminal to ask on, or no answer. */
  ask(question: string, options?: Omit<AskOptions, "signal">): Promise<string | undefined>;
  /** The folder for the state of this workspace, created at the first call. */
  stateFolder(): Promise<StateFolder>;
}

/** A longer report repeats a text of someone else, which must not fill the screen. */
const MAX_REPORT_CHARS = 4_000;

/** The composition root: the only place where parts of the product are connected. Rejects if `cwd` is not a folder. */
export async function openRun(options: RunOptions): Promise<Run> {
  const { terminal, signal, env = process.env } = options;
  const cwd = options.cwd === undefined ? process.cwd() : existingFolder(options.cwd);
  const [{ escapeForDisplay, lacksLoginPath, shortenText }, { createRunState }] = await Promise.all([
    import("indusagi/core"),
    import("./run-state.ts"),
  ]);
  const stack = createCloseStack();
  const report = (message: string): void =>
    terminal.err(`indus: ${shortenText(escapeForDisplay(message), MAX_REPORT_CHARS)}\n`);
  /** The launch hashes of the rows that were read, by server id. */
  const launches = new Map<string, string>();
  const state = createRunState({ cwd, env, report, stack, launches });
  let path: Promise<PathRepair> | undefined;
  let filter: ToolFilter | undefined;
  /** The rows that were found last. */
  let rows: readonly ServerConfig[] = [];
  /** Some commands open servers several times. */
  const reported = new Set<string>();
  const reportOnce = (message: string): void => {
    if (!reported.has(message)) report(message);
    reported.add(message);
  };

  /** Programs inherit the environment of this process, not one that a caller gives to the run. */
  const repairedPath = (): Promise<PathRepair> | undefined => {
    if (!path && env === process.env && lacksLoginPath())
      path = import("./login-path/repair-path.ts").then(({ repairPath }) => repairPath({ signal }));
    return path;
  };

  const run: Run = {
    terminal,
    cwd,
    signal,
    env,
    report,
    defer: (close) => stack.defer(close),
    openNativeTools: async (collection, selection) => {
      const { toolBox } = await import("indusagi/capabilities");
      const box = await stack.open(Promise.resolve(toolBox(collection, cwd)));
      if (!selection?.noTools && !selection?.tools?.length) return box;
      return (await import("./session/select-tools.ts")).selectedBox(box, selection);
    },
    repairPath: async () => void (await repairedPath()),
    findServers: async (sources, finding) => {
      const [{ findServers, rememberedLaunches }, inputs] = await Promise.all([
        import("./sources/find-servers.ts"),
        run.keptInputs(),
      ]);
      const trustOf: FindServersOptions["trustOf"] = (folder) => state.trustOf(folder);
      const found = await findServers(sources, {
        cwd,
        env,
        trustOf,
        report,
        ...(inputs && { inputs }),
        ...finding,
      });
      for (const [id, launch] of rememberedLaunches(found?.servers ?? [])) launches.set(id, launch);
      rows = found?.configs ?? rows;
      if (sources.tools) filter = (await import("./session/select-tools.ts")).selectTools(sources.tools);
      return found;
    },
    watchServers: async (sources, watching) => {
      const { watchServers } = await import("./sources/watch-servers.ts");
      const find: WatchServersOptions["find"] = (finding) => run.findServers(sources, finding);
      return watchServers({ find, report, signal, ...watching });
    },
    keptInputs: async () => (await import("./sources/kept-inputs.ts")).keptInputs(env, report),
    trustStore: () => state.trustOf(cwd),
    serverMemory: () => state.memory(),
    ledger: state.ledger,
    records: async () => {
      const { openLedgerRecords } = await import("./ledger/ledger-records.ts");
      return openLedgerRecords((await run.stateFolder()).path, state.ledger);
    },
    pins: () => state.pins(),
    logins: () => state.logins(),
    openServers: async ({ mayGrow = false, ...opening }) => {
      // First, so that the memory is closed after the servers.
      const known = await run.serverMemory();
      const kept = await state.log();
      const approved = await run.pins();
      const auth = await state.tokensFor(opening.servers, mayGrow);
      const { openServers } = await import("./servers/open-servers.ts");
      const selection = opening.selection ?? filter;
      const repair = repairedPath();
      const startAfter = repair && Promise.all([repair, opening.startAfter]);
      const servers = await stack.open(
        openServers({
          ...(known && { memory: known }),
          ...(kept && { log: kept }),
          ...(approved && { pins: approved }),
          ...(auth && { auth }),
          ...(selection && { selection }),
          knownRows: () => rows,
          ...opening,
          ...(startAfter && { startAfter }),
        }),
      );
      if (selection) await reportSelection(selection, servers, { ...run, report: reportOnce });
      return servers;
    },
    likelyServers: async (tool, servers) => {
      const known = await run.serverMemory();
      const { likelyServers } = await import("./servers/likely-servers.ts");
      return likelyServers(tool, servers, known);
    },
    lastKnownCards: async (servers) => {
      const { lastKnownCards } = await import("./session/last-known-cards.ts");
      return lastKnownCards(run, servers);
    },
    openGateway: async (opening) => {
      const { openGateway } = await import("./gateway/open-gateway.ts");
      return openGateway(run, opening);
    },
    patternProblems: async (uses) => {
      if (uses.length === 0) return [];
      // What is wrong with the rows is no concern of the caller.
      const quietly = { withoutRequired: true, report: () => {} };
      const found = await run.findServers({ mcp: [], run: [] }, quietly);
      const { patternProblems } = await import("./servers/report-patterns.ts");
      return patternProblems(uses, found?.configs ?? [], await run.serverMemory());
    },
    machineFacts: async () => {
      const { machineFacts } = await import("./machine-facts.ts");
      return machineFacts({ env, pathRepair: await path, stateFolder: () => run.stateFolder() });
    },
    serverLogs: async () => {
      const [{ path }, { serverLogs }] = await Promise.all([
        run.stateFolder(),
        import("../server-log/index.ts"),
      ]);
      return serverLogs(join(path, "logs"));
    },
    tokens: async () => {
      const [{ path }, { openTokenStore }] = await Promise.all([
        run.stateFolder(),
        import("../gateway/index.ts"),
      ]);
      return openTokenStore(path);
    },
    auditTrail: () => state.auditTrail(),
    audit: async () => {
      const [{ path }, { auditRecords }] = await Promise.all([
        run.stateFolder(),
        import("../audit/index.ts"),
      ]);
      return auditRecords(path);
    },
    listModels: async (account) => {
      const { listModels, readAccounts } = await import("../models/index.ts");
      return listModels({ env, accounts: readAccounts(account, { env }), signal, report });
    },
    openSession: async (invocation, options) => {
      const { openSession } = await import("./agent/open-session.ts");
      return openSession(run, invocation, options);
    },
    openLedger: (box, after) => state.follow(box, after),
    openSessionTools: async (selection, options) => {
      const { buildSessionTools } = await import("./session/build-session-tools.ts");
      const deck = buildSessionTools(selection, { ...options, cwd, report });
      return deck && stack.open(Promise.resolve(deck));
    },
    stateFolder: () => state.folder(),
    edits: async () => {
      const { openEdits } = await import("./edits/open-edits.ts");
      return openEdits({ cwd, env });
    },
    ask: async (question, asking) => terminal.ask?.(escapeForDisplay(question), { ...asking, signal }),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
  return run;
}

function existingFolder(given: string): string {
  const folder = resolve(given);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`--cwd: ${given} is not a folder; name an existing one`);
  return folder;
}

/** Reports words of `--tools` that select no tool of a server. */
async function reportSelection(
  { words }: ToolFilter,
  servers: OpenServers,
  { report, defer }: Pick<Run, "report" | "defer">,
): Promise<void> {
  const [{ reportPatterns }, { isMountedPattern }] = await Promise.all([
    import("./servers/report-patterns.ts"),
    import("../launch/internal.ts"),
  ]);
  const patterns = words.filter(isMountedPattern);
  const uses = patterns.map((word) => ({ where: "--tools:", word, isGrant: true }));
  if (uses.length > 0) defer(reportPatterns(servers, { uses: () => uses, report }));
}
