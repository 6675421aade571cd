import { type ConfigDiagnostic, type ConfigProfile, launchHash } from "indusagi/config";
import { contentHash } from "indusagi/core";
import type { ServerConfig } from "indusagi/interop";
import type { Run } from "../../boot/internal.ts";
import type { ServerSources } from "../../launch/internal.ts";
import { launchOf } from "../memory/launch-of.ts";
import { isPortableLaunch } from "../memory/portable-launch.ts";
import { bridgeConfig } from "../trust/index.ts";
import { keptInputs } from "./kept-inputs.ts";
import { type FoundServer, loadSources, type SourceOptions } from "./load-sources.ts";
import { showDiagnostic } from "./show-diagnostic.ts";

/** A server whose row became unusable. Its last good form is used instead. */
export interface RowProblem {
  readonly server: string;
  readonly problem: string;
}

export interface FoundServers {
  /** All rows in order of precedence, including disabled rows and those that may not be started. */
  readonly servers: readonly FoundServer[];
  /** The rows to mount, one per id. One that may not be started shows up as untrusted. */
  readonly configs: readonly ServerConfig[];
  /** The servers that use the last good form of their row. */
  readonly rowProblems: readonly RowProblem[];
  /** The sources on the command line, for messages. Absent if there were none. */
  readonly given?: string | undefined;
  /** Why there are no servers, if the user asked for none. */
  readonly reason?: string;
  /** The profiles of the gateway, one per name. */
  readonly profiles: readonly ConfigProfile[];
  /** What is wrong with the files. All of it was reported. */
  readonly diagnostics: readonly ConfigDiagnostic[];
  /** The configuration files that were read or do not exist. */
  readonly files: readonly string[];
  /** The folders with the user's decisions about these servers. */
  readonly decisions: readonly string[];
}

export interface FindServersOptions extends Pick<SourceOptions, "readPlace" | "lastGood"> {
  /** Called with one line for each problem, and its severity if it is a diagnostic of a file. Default: the run's report. */
  readonly report?: (message: string, severity?: ConfigDiagnostic["severity"]) => void;
  /** Continue without a required server whose row cannot be used. Default: false. */
  readonly withoutRequired?: boolean;
  /** Continue without a source that cannot be used, as a session does. Default: false. */
  readonly bestEffort?: boolean;
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
 * Finds the servers of the sources on the command line or, without any, of the workspace's and the user's files. Starts
 * nothing; reports problems. Undefined if a source, or the row of a required server, cannot be used: the user asked for it,
 * so continuing without it would be wrong.
 */
export async function findServers(
  run: Run,
  sources: ServerSources,
  options: FindServersOptions = {},
): Promise<FoundServers | undefined> {
  const found = await readWithVariables(run, sources, options);
  const { notes } = run;
  for (const [id, launch] of rememberedLaunches(found?.servers ?? [])) notes.launches.set(id, launch);
  for (const { config, trust, written } of found?.servers ?? []) {
    if (trust === "own" && isPortableLaunch(written, run.cwd)) notes.portable.add(config.id);
    else notes.portable.delete(config.id);
  }
  notes.rows = found?.configs ?? notes.rows;
  if (sources.tools)
    notes.filter = (await import("../../boot/tools/internal.ts")).selectTools(
      sources.tools,
      sources.toolsSaidBy,
    );
  return found;
}

/** The variables of a client elsewhere are asked for when rows name them. What was reported without them is then forgotten. */
async function readWithVariables(
  run: Run,
  sources: ServerSources,
  options: FindServersOptions,
): Promise<FoundServers | undefined> {
  const { attachment } = run;
  if (!attachment) return readServers(run, sources, options);
  const { report = run.report } = options;
  const held: Parameters<typeof report>[] = [];
  const found = await readServers(run, sources, { ...options, report: (...line) => void held.push(line) });
  if (await attachment.fetchVariables()) return readServers(run, sources, options);
  for (const line of held) report(...line);
  return found;
}

async function readServers(
  run: Run,
  sources: ServerSources,
  { report = run.report, withoutRequired = false, bestEffort = false, ...reading }: FindServersOptions,
): Promise<FoundServers | undefined> {
  const { cwd, env, state, attachment } = run;
  if (sources.noTools) return { ...NOTHING, reason: NO_TOOLS };
  const inputs = keptInputs(run);
  const trustOf: SourceOptions["trustOf"] = (folder) => state.trustOf(folder);
  const parts = await loadSources(sources, { cwd, env, trustOf, inputs, ...reading });
  const given = [...sources.mcp, ...sources.run];
  const diagnostics = parts.flatMap((part) => part.diagnostics);
  for (const diagnostic of diagnostics)
    report(showDiagnostic(diagnostic, attachment?.cwd), diagnostic.severity);
  const problems = parts.flatMap(({ problem }) => problem ?? []);
  for (const problem of problems) report(problem);
  const missing = withoutRequired ? [] : parts.flatMap((part) => part.missing);
  for (const id of missing)
    report(`server "${id}" is required, but its row cannot be used; correct it or set "required": false`);
  const areUsable = problems.length === 0 && parts.every(({ isUsable }) => isUsable);
  if (missing.length > 0 || (!areUsable && !bestEffort)) return undefined;
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
    given: given.length > 0 ? given.join(", ") : undefined,
    profiles: withoutRepeatedProfiles(
      parts.flatMap((part) => part.profiles),
      report,
    ),
    diagnostics,
    files: parts.flatMap((part) => part.files.map(({ file }) => file)),
    decisions: parts.flatMap((part) => part.decisions ?? []),
  };
}

/** Of several rows with one name the first that may be started is used. */
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

/** Of several profiles with one name the first is used. */
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

/**
 * The hash that the catalogue keeps each server under. The folder is resolved: two files may write different folders alike. Values of
 * variables count too: a server may say something else to the owner of another token, which is nobody else's business.
 */
function rememberedLaunches(servers: readonly FoundServer[]): (readonly [string, string])[] {
  return servers
    .filter(({ config }) => !config.pending)
    .map(({ config, written }) => {
      const hasFolder = written.cwd !== undefined && config.kind === "stdio" && config.cwd !== undefined;
      const launch = launchHash(hasFolder ? { ...written, cwd: config.cwd } : written);
      const hasValues = written.envFiles !== undefined || JSON.stringify(written).includes("${");
      return [config.id, hasValues ? contentHash([launch, launchHash(launchOf(config))]) : launch] as const;
    });
}
