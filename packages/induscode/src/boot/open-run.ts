import { statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { Environment } from "indusagi/core";
import type { ServerConfig } from "indusagi/interop";
import type { ToolBox } from "indusagi/runtime";
import type { Pins } from "../deck/pins/index.ts";
import type { TrustStore } from "../deck/trust/index.ts";
import type { MachineFacts, PathRepair } from "../doctor/index.ts";
import type { ServerSources } from "../launch/internal.ts";
import type { ServerLog, ServerLogs } from "../server-log/index.ts";
import type { StateFolder } from "../state/index.ts";
import { createCloseStack } from "./close-stack.ts";
import type { LedgerRecords } from "./ledger/ledger-records.ts";
import { createRunLedger, type RunLedger } from "./ledger/run-ledger.ts";
import type { Gateway, GatewayOptions, GatewayRun } from "./open-gateway.ts";
import type { OpenServers, OpenServersOptions } from "./servers/open-servers.ts";
import type { ServerMemory } from "./servers/server-memory.ts";
import type { FindServersOptions, FoundServers } from "./sources/find-servers.ts";
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
  /** Opens a collection of native tools, which work in the workspace. */
  openNativeTools(collection: string): Promise<ToolBox>;
  /**
   * The servers of the sources on the command line or, without any, those configured for the workspace. Starts nothing;
   * problems are reported. Undefined if the command must stop.
   */
  findServers(
    sources: ServerSources,
    options?: Partial<Pick<FindServersOptions, "withoutRequired" | "report">>,
  ): Promise<FoundServers | undefined>;
  /** The user's decisions about the servers of the workspace. Undefined if they cannot be read, which is reported. */
  trustStore(): Promise<TrustStore | undefined>;
  /** What earlier runs learned about the servers. Undefined if that cannot be kept, which is reported once. */
  serverMemory(): Promise<ServerMemory | undefined>;
  /** Everything that passes between us and the servers is kept in their log. */
  /** The ledger's log of this run. A command that neither serves nor decides anything makes none. */
  readonly ledger: RunLedger;
  /** What earlier runs recorded about mounted tools. Rejects with a `StateError` if there is no folder for state. */
  records(): Promise<LedgerRecords>;
  /** The approved forms of tools. Undefined if they cannot be kept, which is reported with the memory of the servers. */
  pins(): Promise<Pins | undefined>;
  openServers(options: OpenServersOptions): Promise<OpenServers>;
  /** Those of the servers that a tool of this name probably belongs to. Empty if nothing hints at any. */
  likelyServers(tool: string, servers: readonly ServerConfig[]): Promise<readonly ServerConfig[]>;
  openGateway(options: GatewayOptions): Promise<Gateway>;
  /** What is known about this machine. Once servers are opened, also whether `PATH` was repaired for them. */
  machineFacts(): Promise<MachineFacts>;
  /** The logs of the servers that were opened in this workspace, by this and earlier runs. */
  serverLogs(): Promise<ServerLogs>;
  /** The folder for the state of this workspace, created at the first call. */
  stateFolder(): Promise<StateFolder>;
}

/** The composition root: the only place where parts of the product are connected. Rejects if `cwd` is not a folder. */
export async function openRun(options: RunOptions): Promise<Run> {
  const { terminal, signal, env = process.env } = options;
  const cwd = options.cwd === undefined ? process.cwd() : existingFolder(options.cwd);
  const { describeError, escapeForDisplay, lacksLoginPath } = await import("indusagi/core");
  const stack = createCloseStack();
  const report = (message: string): void => terminal.err(`indus: ${escapeForDisplay(message)}\n`);
  /** The launch hashes of the rows that were read, by server id. */
  const launches = new Map<string, string>();
  let path: Promise<PathRepair> | undefined;
  let state: Promise<StateFolder> | undefined;
  let memory: Promise<ServerMemory | undefined> | undefined;
  let log: Promise<ServerLog | undefined> | undefined;
  let pins: Promise<Pins | undefined> | undefined;
  const ledger = createRunLedger({ state: async () => (await run.stateFolder()).path, report });
  stack.defer(async () => ledger[Symbol.asyncDispose]());

  /** Nothing but time is lost without it, so that a folder that cannot be used is no reason to end. */
  const openMemory = async (): Promise<ServerMemory | undefined> => {
    try {
      const { path } = await run.stateFolder();
      const [{ openCatalogue }, { createServerMemory }] = await Promise.all([
        import("../catalogue/index.ts"),
        import("./servers/server-memory.ts"),
      ]);
      const catalogue = await stack.open(Promise.resolve(openCatalogue(join(path, "catalogue"), { report })));
      return createServerMemory(catalogue, launches);
    } catch (thrown) {
      report(
        `the tools of the servers are not remembered, and their changes are not noticed: ${describeError(thrown)}`,
      );
      return undefined;
    }
  };

  const openRunPins = async (): Promise<Pins | undefined> => {
    try {
      const { path, workspace } = await run.stateFolder();
      const { openPins } = await import("../deck/pins/index.ts");
      const record: RunLedger["record"] = (decisions) => ledger.record(decisions);
      return await stack.open(Promise.resolve(openPins(path, { report, record, ...elsewhere(workspace) })));
    } catch {
      return undefined; // Reported for the memory of the servers, which is in the same folder.
    }
  };

  const openLog = async (): Promise<ServerLog | undefined> => {
    try {
      const { path } = await run.stateFolder();
      const { openServerLog } = await import("../server-log/index.ts");
      return await stack.open(Promise.resolve(openServerLog(join(path, "logs"), { report })));
    } catch {
      return undefined; // Reported for the memory of the servers, which is in the same folder.
    }
  };

  /** Without it no row of a project is approved. */
  const trustOf = async (folder: string): Promise<TrustStore | undefined> => {
    try {
      const { path } = folder === cwd ? await run.stateFolder() : await openState(folder, env);
      const { openTrustStore } = await import("../deck/trust/index.ts");
      return openTrustStore(path);
    } catch (thrown) {
      report(`the decisions about the servers of ${folder} cannot be read: ${describeError(thrown)}`);
      return undefined;
    }
  };

  const run: Run = {
    terminal,
    cwd,
    signal,
    env,
    report,
    defer: (close) => stack.defer(close),
    openNativeTools: async (collection) => {
      const { toolBox } = await import("indusagi/capabilities");
      return stack.open(Promise.resolve(toolBox(collection, cwd)));
    },
    findServers: async (sources, finding) => {
      const { findServers, rememberedLaunches } = await import("./sources/find-servers.ts");
      const found = await findServers(sources, { cwd, env, trustOf, report, ...finding });
      for (const [id, launch] of rememberedLaunches(found?.servers ?? [])) launches.set(id, launch);
      return found;
    },
    trustStore: () => trustOf(cwd),
    serverMemory: () => (memory ??= openMemory()),
    ledger,
    records: async () => {
      const { openLedgerRecords } = await import("./ledger/ledger-records.ts");
      return openLedgerRecords((await run.stateFolder()).path, ledger);
    },
    pins: () => (pins ??= openRunPins()),
    openServers: async (opening) => {
      // First, so that the memory is closed after the servers.
      const known = await run.serverMemory();
      const kept = await (log ??= openLog());
      const approved = await run.pins();
      const { openServers } = await import("./servers/open-servers.ts");
      // Servers inherit the environment of this process, not one that a caller gives to the run.
      const isDesktopStart = path !== undefined || (env === process.env && lacksLoginPath());
      const repair = isDesktopStart ? (path ??= repairPath(signal)) : undefined;
      const startAfter = repair && Promise.all([repair, opening.startAfter]);
      return stack.open(
        openServers({
          ...(known && { memory: known }),
          ...(kept && { log: kept }),
          ...(approved && { pins: approved }),
          ...opening,
          ...(startAfter && { startAfter }),
        }),
      );
    },
    likelyServers: async (tool, servers) => {
      const known = await run.serverMemory();
      const { likelyServers } = await import("./servers/likely-servers.ts");
      return likelyServers(tool, servers, known);
    },
    openGateway: async (opening) => {
      const { openGateway } = await import("./open-gateway.ts");
      return openGateway(run, opening);
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
    stateFolder: () => (state ??= openState(cwd, env)),
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

async function openState(workspace: string, env: Environment): Promise<StateFolder> {
  const { openStateFolder } = await import("../state/index.ts");
  return openStateFolder(workspace, env);
}

/** A command in a message must name its folder if that is not the one in which the user probably is. */
function elsewhere(workspace: string): { readonly cwd?: string } {
  const { realpathSync } = process.getBuiltinModule("node:fs");
  return realpathSync(process.cwd()) === workspace ? {} : { cwd: workspace };
}

/** Without an answer of the shell, servers get `PATH` as it is. */
async function repairPath(signal: AbortSignal): Promise<PathRepair> {
  const { loginPath } = await import("indusagi/core");
  const found = await loginPath({ signal }).catch(() => undefined);
  if (found === undefined) return { kind: "failed" };
  const before = new Set((process.env["PATH"] ?? "").split(delimiter));
  process.env["PATH"] = found;
  return { kind: "repaired", added: found.split(delimiter).filter((folder) => !before.has(folder)) };
}
