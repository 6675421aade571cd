import type { BigIntStats } from "node:fs";
import { canonicalJson, contentHash, type Environment, safeEnvironment } from "../../../core/index.ts";
import type { ServerConfig } from "../../contract/index.ts";
import type { LaunchPlace } from "../../endpoint/index.ts";

/** Who shares an instance, and what its process inherits. */
export interface InstanceScope {
  readonly place: LaunchPlace;
  /** The folder that `"share": "fleet"` means, as a real path. */
  readonly folder: string;
  /** The user's home folder, in which instances with `"share": "user"` run. */
  readonly home: string;
  /** Whose logins are used: the folder that they are in. */
  readonly credentials: string;
  /** The container or namespaces of the client: a process sees what they contain. */
  readonly container: string;
}

/**
 * The members of a row that make neither a process nor a connection: each fleet applies its own. All others count, also those that
 * are not known here.
 */
const OF_THE_FLEET: ReadonlySet<string> = new Set([
  "share",
  "enabled",
  "pending",
  "required",
  "lazy",
  "idleMs",
  "connectors",
  "includeTools",
  "excludeTools",
  "toolOverrides",
  "pin",
  "extensionMethods",
  "env",
  "cwd",
]);

/**
 * What identifies a running instance: everything that makes its process or its connection. Two rows with different keys never share
 * one. A hash, because the environment holds secrets.
 */
export function instanceKey(config: ServerConfig, scope: InstanceScope): string {
  const { place, folder, credentials, container } = scope;
  const isOfUser = config.share === "user";
  const env = childEnvironment(config, scope);
  return contentHash([
    canonicalJson(rowOf(config)),
    canonicalJson(env),
    config.kind === "stdio" ? startedFile(config.command, { env, cwd: cwdOf(config, scope) }) : null,
    isOfUser ? "user" : ["fleet", folder],
    config.kind === "stdio" ? [cwdOf(config, scope), place.umask ?? null] : [credentials],
    container,
  ]);
}

/** The members of a row that make the process or the connection. */
function rowOf(config: ServerConfig): { readonly [member: string]: unknown } {
  const members = Object.entries(config);
  return Object.fromEntries(
    members.filter(([name, value]) => value !== undefined && !OF_THE_FLEET.has(name)),
  );
}

function childEnvironment(config: ServerConfig, { place }: InstanceScope): Environment {
  return safeEnvironment(config.kind === "stdio" ? config.env : undefined, place.env);
}

/** A row, and for whom it was started. */
interface Launch {
  readonly config: ServerConfig;
  readonly scope: InstanceScope;
}

/** In which members of the row and variables two instances of one server in one folder differ. Names only: values may be secrets. */
export function differencesOf(one: Launch, other: Launch): readonly string[] {
  const parts = ({ config, scope }: Launch): { readonly [name: string]: unknown } => ({
    ...{ umask: scope.place.umask, logins: scope.credentials, container: scope.container },
    ...rowOf(config),
    ...childEnvironment(config, scope),
  });
  const [ours, theirs] = [parts(one), parts(other)];
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  const text = (value: unknown): string => canonicalJson(value ?? null);
  return [...names].filter((name) => text(ours[name]) !== text(theirs[name])).toSorted();
}

/** The key that a row would have with `"share": "user"`. Undefined if it has it, or if what it starts depends on the folder. */
export function userKeyOf(config: ServerConfig, scope: InstanceScope): string | undefined {
  if (config.share === "user" || config.kind !== "stdio") return undefined;
  const { cwd, ...rest } = config;
  const texts = [config.command, ...(config.args ?? []), ...Object.values(config.env ?? {})];
  const isOfFolder = texts.some((text) => text.includes(scope.folder) || /(^|=)\.{1,2}([\\/]|$)/.test(text));
  if (isOfFolder || (cwd !== undefined && cwd !== scope.folder) || /^[^/\\].*[\\/]/.test(config.command))
    return undefined;
  return instanceKey({ ...rest, share: "user" }, scope);
}

/** The folder in which the server of a row starts. */
export function cwdOf(config: ServerConfig, { place, home }: InstanceScope): string {
  if (config.share === "user") return home;
  return (config.kind === "stdio" ? config.cwd : undefined) ?? place.cwd;
}

/** The file that a command starts, as a real path with what shows that it was replaced; the command itself if there is none. */
function startedFile(
  command: string,
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
): readonly string[] {
  const paths = process.getBuiltinModule("node:path");
  const { realpathSync, statSync } = process.getBuiltinModule("node:fs");
  const isPath = /[\\/]/.test(command);
  const folders = isPath ? [cwd] : (env["PATH"] ?? "").split(paths.delimiter);
  for (const folder of folders) {
    const path = paths.resolve(cwd, isPath ? "." : folder, command);
    try {
      const real = realpathSync(path);
      const found: BigIntStats = statSync(real, { bigint: true });
      if (found.isFile()) return [real, `${found.dev}:${found.ino}:${found.mtimeNs}`];
    } catch {
      // The next folder.
    }
  }
  return [command];
}
