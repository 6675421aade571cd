import { statSync } from "node:fs";
import { resolve } from "node:path";
import {
  approvalHash,
  type ConfigRow,
  type ConfigSource,
  type LastGoodRows,
  type LaunchAsWritten,
  loadServerConfigs,
  type TextReading,
} from "indusagi/config";
import type { Environment } from "indusagi/core";
import type { ServerConfig } from "indusagi/interop";
import { isUrl, type ServerSources } from "../../launch/internal.ts";
import {
  type DiscoveredConfig,
  type DiscoverOptions,
  discoverMcpConfig,
  type TrustState,
  type TrustStore,
} from "../trust/index.ts";
import type { OneOffServer } from "./one-off-server.ts";

/** `given`: the user named its file, URL or command line, which approves it. */
type ServerTrust = TrustState | "given";

/** A server that a run may use. */
export interface FoundServer {
  /** Marked `pending` unless it may be started. */
  readonly config: ServerConfig;
  /** The row. For a server that no file contains, `file` is what the user typed. */
  readonly origin: ConfigSource;
  readonly trust: ServerTrust;
  /** The hash that decisions are bound to. */
  readonly launch: string;
  /** What to show to a user who decides: the launch with every `${…}` as written. */
  readonly written: LaunchAsWritten;
  /** The parts of the row that have changed since it was approved. */
  readonly changed?: readonly string[];
  /** Why the row in the file cannot be used. Then this is its last good form. */
  readonly problem?: string | undefined;
}

export interface SourceOptions {
  readonly cwd: string;
  readonly env: Environment;
  /** The answers to `${input:…}`. */
  readonly inputs?: Environment | undefined;
  /** Opens the user's decisions about the rows of a project folder. Undefined if they cannot be read. */
  readonly trustOf: (folder: string) => Promise<TrustStore | undefined>;
  /** Reads a configuration file. Default: from disk. */
  readonly readPlace?: (path: string) => TextReading;
  /** The last good rows of the files. Default: a row that cannot be used is dropped. */
  readonly lastGood?: LastGoodRows;
}

/** The content of one source, or of several files together. */
export interface SourcePart extends Pick<DiscoveredConfig, "diagnostics" | "missing" | "profiles" | "files"> {
  readonly servers: readonly FoundServer[];
  readonly isUsable: boolean;
  /** Why the source cannot be used, if no diagnostic says so. */
  readonly problem?: string;
  /** The folder of the user's decisions. */
  readonly decisions?: string | undefined;
}

/** Reads the sources on the command line or, without any, the folder's and the user's files. */
export async function loadSources(
  sources: Pick<ServerSources, "mcp" | "run">,
  options: SourceOptions,
): Promise<readonly SourcePart[]> {
  const isGiven = sources.mcp.length + sources.run.length > 0;
  return isGiven ? givenParts(sources, options) : [await discovered(options.cwd, options)];
}

async function discovered(folder: string, options: SourceOptions): Promise<SourcePart> {
  const trust = await options.trustOf(folder);
  const found = discoverMcpConfig(folder, { ...readingOf(options), ...(trust && { trust }) });
  const servers = found.servers.map((server) => ({ ...server, config: startedIn(server.config, folder) }));
  return {
    ...found,
    servers,
    isUsable: true,
    decisions: trust?.folder,
  };
}

function readingOf({
  env,
  inputs,
  readPlace,
  lastGood,
}: SourceOptions): Pick<DiscoverOptions, "env" | "inputs" | "readPlace" | "lastGood"> {
  return {
    env,
    ...(inputs && { inputs }),
    ...(readPlace && { readPlace }),
    ...(lastGood && { lastGood }),
  };
}

/** A project's servers start in its folder, whatever the current folder is. */
function startedIn(config: ServerConfig, folder: string): ServerConfig {
  const isElsewhere = resolve(folder) !== process.cwd();
  return isElsewhere && config.kind === "stdio" && config.cwd === undefined
    ? { ...config, cwd: resolve(folder) }
    : config;
}

/** The sources in the given order, servers without a file last. */
async function givenParts(
  { mcp, run }: Pick<ServerSources, "mcp" | "run">,
  options: SourceOptions,
): Promise<SourcePart[]> {
  const { oneOffCommand, oneOffUrl } = await import("./one-off-server.ts");
  const parts: SourcePart[] = [];
  for (const source of mcp) {
    if (isUrl(source)) parts.push(oneOff(withFreeId(oneOffUrl(source, "--mcp"), parts), options));
    else if (isFolder(source)) parts.push(await discovered(resolve(source), options));
    else parts.push(fromFile(resolve(source), options));
  }
  for (const text of run) {
    const server = isUrl(text) ? oneOffUrl(text, "--run") : oneOffCommand(text);
    parts.push(oneOff(withFreeId(server, parts), options));
  }
  return parts;
}

/** The server with a number at the end of its id if the id is taken. */
function withFreeId(server: OneOffServer, parts: readonly SourcePart[]): OneOffServer {
  if ("problem" in server) return server;
  const ids = new Set(parts.flatMap((part) => part.servers.map(({ config }) => config.id)));
  let id = server.id;
  for (let number = 2; ids.has(id); number++) id = `${server.id}-${number}`;
  return { ...server, id };
}

function isFolder(source: string): boolean {
  return statSync(source, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function fromFile(file: string, options: SourceOptions): SourcePart {
  const { cwd } = options;
  const loaded = loadServerConfigs({ places: [{ scope: "explicit", file }], cwd, ...readingOf(options) });
  return {
    ...loaded,
    servers: loaded.servers.map(given),
    isUsable: loaded.files.every(({ state }) => state === "read"),
  };
}

/** A row that the user typed goes through the same parser as a row in a file. */
function oneOff(server: OneOffServer, { cwd, env }: SourceOptions): SourcePart {
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
  return { config, origin: source, trust: "given", launch: approvalHash(written), written, problem };
}
