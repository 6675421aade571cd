import { launchHash } from "indusagi/config";
import {
  listServer,
  type ServerConfig,
  type ServerEndpoint,
  type ServerListing,
  type StartHistory,
} from "indusagi/interop";
import type { Catalogue, CatalogueEntry } from "../../catalogue/index.ts";

/** What earlier runs learned about the configured servers, and what this one adds to it. */
export interface ServerMemory {
  /** What is known about a server. Nothing if its launch has changed. */
  entry(config: ServerConfig): CatalogueEntry | undefined;
  readonly startHistory: StartHistory;
  /** Remembers what a server offers, after a good listing of its tools. Undefined if the connection ended. Never rejects. */
  remember(endpoint: ServerEndpoint): Promise<ServerListing | undefined>;
}

/** `launches`: the launch hash of each row that was read from a file, by server id. */
export function createServerMemory(
  catalogue: Catalogue,
  launches: ReadonlyMap<string, string>,
): ServerMemory {
  const hashOf = (config: ServerConfig): string => launches.get(config.id) ?? launchHash(launchOf(config));
  return {
    entry: (config) => catalogue.entry(hashOf(config)),
    startHistory: {
      readyMs: (config) => catalogue.entry(hashOf(config))?.readyMs,
      recordReady: (config, readyMs) => catalogue.ready(hashOf(config), config.id, readyMs),
      recordFailure: (config) => catalogue.failed(hashOf(config), config.id),
    },
    remember: async (endpoint) => {
      const launch = hashOf(endpoint.config);
      const { id } = endpoint.config;
      try {
        // The tools first: the other lists may take a while, and the command may end before.
        const { tools } = await endpoint.listing();
        const { capabilities, instructions, serverInfo } = endpoint.session();
        const rest = catalogue.entry(launch)?.listing ?? { prompts: [], resources: [], templates: [] };
        const definitions = tools.map(({ definition }) => definition);
        const { prompts, resources, templates } = rest;
        const spoken = instructions === undefined ? {} : { instructions };
        const known = {
          tools: definitions,
          prompts,
          resources,
          templates,
          ...spoken,
          capabilities,
          serverInfo,
        };
        catalogue.listed(launch, id, known);
        const listing = await listServer(endpoint);
        catalogue.listed(launch, id, listing);
        return listing;
      } catch {
        return undefined; // The connection ended meanwhile. What was listed is remembered.
      }
    },
  };
}

/** The launch of a server that no file contains: its values are the written ones. */
function launchOf(config: ServerConfig): Parameters<typeof launchHash>[0] {
  if (config.kind !== "stdio") {
    const { url, headers } = config;
    return { url, ...(headers && { headers }) };
  }
  const { command, args, cwd, env } = config;
  return { command, ...(args && { args }), ...(cwd !== undefined && { cwd }), ...(env && { env }) };
}
