import { isDeepStrictEqual } from "node:util";
import { launchHash } from "indusagi/config";
import {
  type ExtensionKey,
  listServer,
  type ServerConfig,
  type ServerEndpoint,
  type ServerListing,
  type StartHistory,
  sharedKey,
} from "indusagi/interop";
import type { CatalogueEntry, CatalogueHead, KnownListing, KnownLists } from "./catalogue-entry.ts";
import { launchOf } from "./launch-of.ts";
import type { Catalogue } from "./open-catalogue.ts";

/** What earlier runs learned about the configured servers, and what this one adds to it. */
export interface ServerMemory {
  /** What is known about a server. Undefined if its launch has changed. */
  entry(config: ServerConfig): CatalogueEntry | undefined;
  /** The same without its lists, which is quicker to read. */
  head(config: ServerConfig): CatalogueHead | undefined;
  readonly startHistory: StartHistory;
  /**
   * What a server listed last time for clients with these extensions; the lists for all others where they are the same. `extensions`:
   * what was declared for them. Undefined if it was never asked.
   */
  listsFor(config: ServerConfig, extensions: ExtensionKey): RememberedLists | undefined;
  /**
   * Remembers what a server offers, after its tools were listed; `extensions`: to clients that declared these. Undefined if the
   * connection ended. Never rejects.
   */
  remember(endpoint: ServerEndpoint, extensions?: ExtensionKey): Promise<ServerListing | undefined>;
}

type RememberedLists = KnownLists & { readonly extensions: ExtensionKey };

export interface ServerMemoryOptions {
  /** What is known in this workspace. */
  readonly workspace: Catalogue;
  /** What is known in every folder. Undefined if the run began without such a server. */
  readonly everywhere: Catalogue | undefined;
  /** The launch hash of each row that was read from a file, by server id. */
  readonly launches: ReadonlyMap<string, string>;
  /** The servers of the user that are the same in every folder, by id. */
  readonly portable: ReadonlySet<string>;
}

export function createServerMemory({
  workspace,
  everywhere,
  launches,
  portable,
}: ServerMemoryOptions): ServerMemory {
  const hashOf = (config: ServerConfig): string => launches.get(config.id) ?? launchHash(launchOf(config));
  const catalogueOf = ({ id }: ServerConfig): Catalogue => (portable.has(id) && everywhere) || workspace;
  // Earlier versions kept everything in the workspace.
  const entryOf = (config: ServerConfig): CatalogueEntry | undefined =>
    catalogueOf(config).entry(hashOf(config)) ?? workspace.entry(hashOf(config));
  const headOf = (config: ServerConfig): CatalogueHead | undefined =>
    catalogueOf(config).head(hashOf(config)) ?? workspace.head(hashOf(config));
  return {
    entry: entryOf,
    head: headOf,
    startHistory: {
      readyMs: (config) => headOf(config)?.readyMs,
      wasTried: (config) => headOf(config) !== undefined,
      recordTry: (config) => catalogueOf(config).tried(hashOf(config), config.id),
      recordReady: (config, readyMs) => catalogueOf(config).ready(hashOf(config), config.id, readyMs),
      recordFailure: (config) => catalogueOf(config).failed(hashOf(config), config.id),
      recordInterrupted: (config) => catalogueOf(config).interrupted(hashOf(config), config.id),
    },
    listsFor: (config, given) => {
      const listing = entryOf(config)?.listing;
      const extensions = sharedKey(given, listing?.capabilities);
      const own = listing?.classes?.[extensions];
      if (!listing || !own) return undefined;
      const { tools, prompts, resources, templates } = listing;
      return { tools, prompts, resources, templates, ...own, extensions };
    },
    remember: async (endpoint, extensions) => {
      const launch = hashOf(endpoint.config);
      const { id } = endpoint.config;
      const catalogue = catalogueOf(endpoint.config);
      const classesNow = (): KnownListing["classes"] => entryOf(endpoint.config)?.listing?.classes;
      try {
        if (extensions !== undefined) {
          const listing = await listServer(endpoint, extensions);
          const plain = entryOf(endpoint.config)?.listing;
          if (plain) {
            const classes = { ...plain.classes, [extensions]: otherLists(listing, plain) };
            catalogue.listed(launch, id, { ...plain, classes });
          }
          return listing;
        }
        const before = entryOf(endpoint.config)?.listing;
        // The tools first: the other lists may take a while, and the command may end before that.
        const { tools } = await endpoint.listing();
        const definitions = tools.map(({ definition }) => definition);
        // Most servers list the same as last time. Its objects are kept then, so it is compared and held in memory once.
        const areKnown = before !== undefined && isDeepStrictEqual(before.tools, definitions);
        const { capabilities, instructions, serverInfo } = endpoint.session();
        if (!areKnown)
          catalogue.listed(launch, id, {
            prompts: before?.prompts,
            resources: before?.resources,
            templates: before?.templates,
            classes: classesNow(),
            tools: definitions,
            ...(instructions === undefined ? {} : { instructions }),
            capabilities,
            serverInfo,
          });
        const listing = await listServer(endpoint);
        const isStill = listing.tools.every((tool, at) => tool === definitions[at]);
        const kept = areKnown && isStill && listing.tools.length === definitions.length;
        catalogue.listed(launch, id, {
          ...withReadLists(listing, before),
          classes: classesNow(),
          ...(kept && { tools: before.tools }),
        });
        return listing;
      } catch {
        return undefined; // The connection ended. What was listed is remembered.
      }
    },
  };
}

/** The lists that differ from those for all other clients. One that the server did not send in time counts as the same. */
function otherLists(listing: ServerListing, plain: KnownListing): KnownLists {
  const kinds = ["tools", "prompts", "resources", "templates"] as const;
  const others = kinds.filter(
    (kind) =>
      !(kind !== "tools" && listing.unread?.includes(kind)) && !isDeepStrictEqual(listing[kind], plain[kind]),
  );
  return Object.fromEntries(others.map((kind) => [kind, listing[kind]]));
}

/** A list that the server did not send in time stays as it was. */
function withReadLists(
  { unread, ...listing }: ServerListing,
  before: KnownListing | undefined,
): KnownListing {
  if (!unread) return listing;
  return { ...listing, ...Object.fromEntries(unread.map((kind) => [kind, before?.[kind]])) };
}
