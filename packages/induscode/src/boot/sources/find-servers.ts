import { statSync } from "node:fs";
import { resolve } from "node:path";
import {
  type ConfigDiagnostic,
  type ConfigProfile,
  type ConfigRow,
  type ConfigSource,
  type LastGoodRows,
  type LaunchAsWritten,
  launchHash,
  loadServerConfigs,
  type TextReading,
} from "indusagi/config";
import type { Environment } from "indusagi/core";
import type { ServerConfig } from "indusagi/interop";
import {
  bridgeConfig,
  type DiscoveredConfig,
  discoverMcpConfig,
  type TrustState,
  type TrustStore,
} from "../../deck/trust/index.ts";
import type { ServerSources } from "../../launch/internal.ts";
import { isUrl } from "./is-url.ts";
import type { OneOffServer } from "./one-off-server.ts";
import { showDiagnostic } from "./show-diagnostic.ts";

/** `given`: the user named its file, its URL or its command line, which approves it. */
type ServerTrust = TrustState | "given";

/** A server that a run may use. */
export interface FoundServer {
  /** Has the mark `pending` unless it may be started. */
  readonly config: ServerConfig;
  /** The row. For a server that no file contains, `file` is what the user typed. */
  readonly origin: ConfigSource;
  readonly trust: ServerTrust;
  /** The hash that a decision is bound to. */
  readonly launch: string;
  /** What to show to a user who decides: the launch with every `${…}` as written. */
  readonly written: LaunchAsWritten;
  /** Why the row of the file cannot be used. Then this is its last good form. */
  readonly problem?: string;
}

/** A server whose row cannot be used any more. Its last good form is. */
export interface RowProblem {
  readonly server: string;
  readonly problem: string;
}

export interface FoundServers {
  /** All rows in order of precedence, with disabled rows and those that may not be started. */
  readonly servers: readonly FoundServer[];
  /** The rows to mount, one per id. A mount lists a row that may not be started as untrusted. */
  readonly configs: readonly ServerConfig[];
  /** The servers that have the last good form of a row. */
  readonly rowProblems: readonly RowProblem[];
  /** The sources on the command line, for messages. Absent if there were none. */
  readonly given?: string;
  /** Why there are none, if the user wanted none. */
  readonly reason?: string;
  /** The named parts of what a gateway offers, one per name. */
  readonly profiles: readonly ConfigProfile[];
  /** What is wrong with the files. All of it has been reported. */
  readonly diagnostics: readonly ConfigDiagnostic[];
  /** The configuration files that were read, or would be if they existed. */
  readonly files: readonly string[];
  /** The folders of the user's decisions about these servers. */
  readonly decisions: readonly string[];
}

export interface FindServersOptions {
  readonly cwd: string;
  readonly env: Environment;
  /** The answers to `${input:…}`. */
  readonly inputs?: Environment;
  /** Opens the user's decisions about the rows of a project folder. Undefined if they cannot be read. */
  readonly trustOf: (folder: string) => Promise<TrustStore | undefined>;
  /** Called for each problem, with one line. `severity` as in the diagnostic, if it is about a file. */
  readonly report: (message: string, severity?: ConfigDiagnostic["severity"]) => void;
  /** Continue without a required server whose row cannot be used. Default: false. */
  readonly withoutRequired?: boolean;
  /** Continue without a source that cannot be used, as a session does. Default: false. */
  readonly bestEffort?: boolean;
  /** Reads a configuration file. Default: from the disk. */
  readonly readPlace?: (path: string) => TextReading;
  /** The last good rows of the files. Default: a row that cannot be used is dropped. */
  readonly lastGood?: LastGoodRows;
}

const NOTHING: FoundServers = {
  servers: [],
  configs: [],
  rowProblems: [],
  profiles: [],
  diagnostics: [],
  files: [],
  decisions: [],
};

const NO_TOOLS = "--no-tools starts no servers; leave it out to use them";

/**
 * The servers of a run: those of the sources on the command line or, if there are none, those that the files of the folder
 * and of the user name. Starts nothing. Undefined if a source, or the row of a required server, cannot be used: the user
 * asked for it, so going on without it would be wrong.
 */
export async function findServers(
  { mcp, run, noTools = false }: ServerSources,
  options: FindServersOptions,
): Promise<FoundServers | undefined> {
  const { report } = options;
  if (noTools) return { ...NOTHING, reason: NO_TOOLS };
  const isGiven = mcp.length + run.length > 0;
  const parts = isGiven ? await givenParts(mcp, run, options) : [await discovered(options.cwd, options)];
  const diagnostics = parts.flatMap((part) => part.diagnostics);
  for (const diagnostic of diagnostics) report(showDiagnostic(diagnostic), diagnostic.severity);
  const problems = parts.flatMap(({ problem }) => problem ?? []);
  for (const problem of problems) report(problem);
  const missing = options.withoutRequired ? [] : parts.flatMap((part) => part.missing);
  for (const id of missing)
    report(`server "${id}" is required, but its row cannot be used; correct it or set "required": false`);
  const isWhole = problems.length === 0 && parts.every(({ isUsable }) => isUsable);
  if (missing.length > 0 || (!isWhole && !options.bestEffort)) return undefined;
  const servers = withoutRepeated(
    parts.flatMap((part) => part.servers),
    report,
  );
  return {
    servers,
    configs: bridgeConfig(servers.map(({ config }) => config)).servers,
    rowProblems: servers.flatMap(({ config: { id: server }, problem }) =>
      problem === undefined ? [] : [{ server, problem }],
    ),
    ...(isGiven ? { given: [...mcp, ...run].join(", ") } : {}),
    profiles: withoutRepeatedProfiles(
      parts.flatMap((part) => part.profiles),
      report,
    ),
    diagnostics,
    files: parts.flatMap((part) => part.files.map(({ file }) => file)),
    decisions: parts.flatMap((part) => part.decisions ?? []),
  };
}

/** What one source, or several files together, contain. */
interface SourcePart extends Pick<DiscoveredConfig, "diagnostics" | "missing" | "profiles" | "files"> {
  readonly servers: readonly FoundServer[];
  readonly isUsable: boolean;
  /** Why the source cannot be used, if no diagnostic says it. */
  readonly problem?: string;
  /** The folder of the user's decisions. */
  readonly decisions?: string;
}

async function discovered(folder: string, options: FindServersOptions): Promise<SourcePart> {
  const trust = await options.trustOf(folder);
  const found = discoverMcpConfig(folder, { ...readingOf(options), ...(trust && { trust }) });
  const servers = found.servers.map((server) => ({ ...server, config: startedIn(server.config, folder) }));
  return {
    ...found,
    servers,
    isUsable: true,
    ...(trust?.folder !== undefined && { decisions: trust.folder }),
  };
}

function readingOf({
  env,
  inputs,
  readPlace,
  lastGood,
}: FindServersOptions): Pick<FindServersOptions, "env" | "inputs" | "readPlace" | "lastGood"> {
  return {
    env,
    ...(inputs && { inputs }),
    ...(readPlace && { readPlace }),
    ...(lastGood && { lastGood }),
  };
}

/** A project's servers are started in its folder, whatever the current folder is. */
function startedIn(config: ServerConfig, folder: string): ServerConfig {
  const isElsewhere = resolve(folder) !== process.cwd();
  return isElsewhere && config.kind === "stdio" && config.cwd === undefined
    ? { ...config, cwd: resolve(folder) }
    : config;
}

/** The sources in the order given, the servers without a file last. */
async function givenParts(
  mcp: readonly string[],
  run: readonly string[],
  options: FindServersOptions,
): Promise<SourcePart[]> {
  const { oneOffCommand, oneOffUrl } = await import("./one-off-server.ts");
  const parts: SourcePart[] = [];
  for (const source of mcp) {
    if (isUrl(source)) parts.push(oneOff(unused(oneOffUrl(source, "--mcp"), parts), options));
    else if (isFolder(source)) parts.push(await discovered(resolve(source), options));
    else parts.push(fromFile(resolve(source), options));
  }
  for (const text of run) {
    const server = isUrl(text) ? oneOffUrl(text, "--run") : oneOffCommand(text);
    parts.push(oneOff(unused(server, parts), options));
  }
  return parts;
}

/** The same server, with a number at the end of its id if that is used already. */
function unused(server: OneOffServer, parts: readonly SourcePart[]): OneOffServer {
  if ("problem" in server) return server;
  const ids = new Set(parts.flatMap((part) => part.servers.map(({ config }) => config.id)));
  let id = server.id;
  for (let number = 2; ids.has(id); number++) id = `${server.id}-${number}`;
  return { ...server, id };
}

function isFolder(source: string): boolean {
  return statSync(source, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function fromFile(file: string, options: FindServersOptions): SourcePart {
  const { cwd } = options;
  const loaded = loadServerConfigs({ places: [{ scope: "explicit", file }], cwd, ...readingOf(options) });
  return {
    ...loaded,
    servers: loaded.servers.map(given),
    isUsable: loaded.files.every(({ state }) => state === "read"),
  };
}

/** A row that the user typed passes the same parser as one of a file. */
function oneOff(server: OneOffServer, { cwd, env }: FindServersOptions): SourcePart {
  const nothing = { servers: [], profiles: [], diagnostics: [], missing: [], files: [] };
  if ("problem" in server) return { ...nothing, isUsable: false, problem: server.problem };
  const { id, row, file } = server;
  const text = JSON.stringify({ mcpServers: { [id]: row } });
  const loaded = loadServerConfigs({
    places: [{ scope: "explicit", file }],
    cwd,
    env,
    readText: () => ({ text }),
  });
  return { ...loaded, servers: loaded.servers.map(given), files: [], isUsable: loaded.servers.length > 0 };
}

function given({ config, source, written, problem }: ConfigRow): FoundServer {
  return {
    ...{ config, origin: source, trust: "given", launch: launchHash(written), written },
    ...(problem === undefined ? {} : { problem }),
  };
}

/** Of rows with one name the first is used, unless it may not be started. */
function withoutRepeated(
  servers: readonly FoundServer[],
  report: (message: string) => void,
): readonly FoundServer[] {
  const used = new Map<string, FoundServer>();
  return servers.filter((server) => {
    const { id } = server.config;
    const before = used.get(id);
    if (before?.origin.file !== undefined && before.origin.file !== server.origin.file) {
      report(`server "${id}" is also in ${before.origin.file}; the row in ${server.origin.file} is not used`);
      return false;
    }
    if (!server.config.pending) used.set(id, server);
    return true;
  });
}

/** Of profiles with one name the first is used. */
function withoutRepeatedProfiles(
  profiles: readonly ConfigProfile[],
  report: (message: string) => void,
): readonly ConfigProfile[] {
  const used = new Map<string, ConfigProfile>();
  for (const profile of profiles) {
    const before = used.get(profile.name);
    if (!before) used.set(profile.name, profile);
    else if (before.source.file !== profile.source.file)
      report(
        `profile "${profile.name}" is also in ${before.source.file}; the one in ${profile.source.file} is not used`,
      );
  }
  return [...used.values()];
}

/** The hash under which the catalogue keeps each server: rows of two files may write different folders alike. */
export function rememberedLaunches(servers: readonly FoundServer[]): (readonly [string, string])[] {
  return servers
    .filter(({ config }) => !config.pending)
    .map(({ config, written, launch }) => {
      const hasFolder = written.cwd !== undefined && config.kind === "stdio" && config.cwd !== undefined;
      return [config.id, hasFolder ? launchHash({ ...written, cwd: config.cwd }) : launch] as const;
    });
}
