import { isDeepStrictEqual } from "node:util";
import { Listeners, settlesWithin, TimeSlices } from "indusagi/core";
import {
  type BridgeOptions,
  type ClassSeed,
  type EndpointStatus,
  EXTENSION_KEYS,
  type ExtensionKey,
  extensionKey,
  type ItemKind,
  mountProtocolBridge,
  RELAYED_EXTENSIONS,
  type Relay,
  type ReloadReport,
  type ServerConfig,
  type ServerEndpoint,
  type ServerFleet,
  type ServerItems,
  sharedKey,
  type ToolDefinition,
} from "indusagi/interop";
import { type ToolBox, viewBox } from "indusagi/runtime";
import type { ToolFilter } from "../../boot/tools/internal.ts";
import type { ToolIdentity } from "../../policy/index.ts";
import { stateText } from "../doctor/status.ts";
import type { ServerLog } from "../log/index.ts";
import type { ServerMemory } from "../memory/server-memory.ts";
import type { Pins } from "../pins/index.ts";
import { MAX_NAME_CHARS, rememberedNames, shownToolName } from "./find-tool.ts";
import { LeftOutItems } from "./left-out-items.ts";
import { createPromptReview, type PromptReview, reviewedRelay } from "./prompt-review.ts";
import { isReady, isRequiredServer, type StartedServer, watchRequired } from "./required-servers.ts";
import { type ServerIntroduction, serverIntroductions } from "./server-introduction.ts";

/** After this many failed starts in a row, the tools of a server are not offered before it is ready. */
const MAX_FAILED_STARTS = 3;
/** After this many starts in a row that failed or were interrupted, nothing waits for a server. */
const MAX_AWAITED_STARTS = 2;
/** A client that declared every extension we relay. */
const ALL_EXTENSIONS = extensionKey(RELAYED_EXTENSIONS);
const REQUIRED_WAIT_MS = 5_000;
const LISTS_MS = 2_000;

/** Which servers start with their first call: those whose row says so, or all whose row does not say otherwise. */
type Laziness = "rows" | "all";

export interface MountServersOptions
  extends Omit<
    BridgeOptions,
    | "waitMs"
    | "nameLimit"
    | "catalogueSeed"
    | "seedFor"
    | "startHistory"
    | "onListed"
    | "onMute"
    | "onWire"
    | "toolReview"
    | "auth"
  > {
  readonly servers: readonly ServerConfig[];
  readonly auth?: BridgeOptions["auth"] | undefined;
  /** What earlier runs learned, and where this one stores what it learns. */
  readonly memory?: ServerMemory | undefined;
  /** Holds or withholds what a server changed. Default: everything is offered as listed. */
  readonly pins?: Pins | undefined;
  /** Logs what the servers write and do. */
  readonly log?: ServerLog | undefined;
  /** Offer the tools that a server listed last time before it is ready. Default: false. */
  readonly offerLastKnown?: boolean;
  /** Nothing is started or offered before this resolves. Default: at once. */
  readonly startAfter?: Promise<unknown> | undefined;
  /** How long a required server may take to become ready, retries included. Default 5 s. */
  readonly requiredWaitMs?: number;
  /** Which tools of the servers are offered. Default: all. */
  readonly selection?: ToolFilter | undefined;
  /** Other rows that the run knows, which are not opened here. Default: none. */
  readonly knownRows?: () => readonly ServerConfig[];
  /** Which servers start with their first call. Default: none. */
  readonly laziness?: Laziness;
  /** Called for each server when it is connected and listed, or has failed. */
  readonly onSettled?: (status: EndpointStatus, ms: number) => void;
}

/** The configured servers and the tools they offer so far. Closing it ends every server. */
export interface OpenServers extends AsyncDisposable {
  readonly box: ToolBox;
  /** The tools that differ for clients with these extensions, see `withVariants`. They are listed from the first call on. */
  variants(extensions: ExtensionKey): ToolBox;
  readonly fleet: ServerFleet;
  /** What the servers have besides tools. */
  readonly relay: Relay;
  /**
   * What a server listed besides tools in an earlier run; `extensions`: for clients that declared these. Undefined if not known, or
   * if the server has kept failing since.
   */
  lastKnownItems(server: string, kind: ItemKind, extensions?: ExtensionKey): ServerItems | undefined;
  /** The messages about withheld prompts of a server, as far as they were reviewed. */
  withheldPrompts(server: string): readonly string[];
  /** Calls the listener when these have changed. */
  onWithheldPrompts(listener: (server: string) => void): () => void;
  /** The prompts, resources and templates that are left out, as far as they were listed. */
  readonly leftOutItems: Pick<LeftOutItems, "of" | "onChange">;
  /** Resolves when the other lists of the servers that are ready now are read. Waits 2 s for a server that does not answer. */
  listed(signal: AbortSignal): Promise<void>;
  /** Calls the listener with the id of a server whose prompts must be reviewed again. */
  onReview(listener: (server: string) => void): () => void;
  /** Resolves when the servers are starting and the tools known from the last run are offered. */
  readonly begun: Promise<void>;
  /** Resolves when every server is connected and listed, or has failed. */
  readonly settled: Promise<void>;
  /** The same for servers whose tools were not known before, without those that are given up. */
  readonly learned: Promise<void>;
  /** The same, without those whose start shows no sign of work. Lists and first turns wait for this. */
  readonly awaited: Promise<void>;
  /** Resolves with the id of a required server that does not become ready, or that failed later and is not restarted. */
  readonly requiredDown: Promise<string>;
  /** How long each server took to connect and list its tools, or to fail, without its time in the queue. */
  readonly timesMs: ReadonlyMap<string, number>;
  /** The rows in use now, including disabled and pending ones. */
  configs(): readonly ServerConfig[];
  /** The ids of the approved servers, including disabled ones. The same array until the rows change. */
  approved(): readonly string[];
  /** The ids of the servers that wait for an approval. */
  pending(): readonly string[];
  /** Calls the listener when other rows are used. */
  onRows(listener: () => void): () => void;
  /** The known tools of a server, including those that its row hides. */
  knownTools(server: string): readonly ToolIdentity[];
  /**
   * Whether all tools of a server are known: it has listed them in this run and, if it makes other lists for clients with extensions,
   * the one for clients with all of them.
   */
  isFullyListed(server: string): boolean;
  /** Calls the listener after each listing of a server. */
  onListed(listener: () => void): () => void;
  /** Resolves when the tools of a server are known, or it has failed. At once unless it is starting for the first time. */
  learnedOf(server: string): Promise<void>;
  /** The same; also when its start shows no sign of work. */
  awaitedOf(server: string): Promise<void>;
  /** Whether its last starts failed or were interrupted, so nothing waits for it. One good start changes that. */
  isGivenUp(server: string): boolean;
  /** Whether its start has shown no sign of work. */
  isMute(server: string): boolean;
  /** How a server presents itself. Undefined if it never connected. */
  introductionOf(server: string): ServerIntroduction | undefined;
  /** Uses other rows from now on. Servers with an unchanged row are not touched; calls of the others may finish. */
  reload(servers: readonly ServerConfig[]): Promise<ReloadReport>;
  /** The state of each server, including disabled ones, in configuration order. */
  statuses(): readonly EndpointStatus[];
  /** The first required server that is not ready. */
  missingRequired(): string | undefined;
}

/** Starts connecting and does not wait, so the caller can close it at any time, even while servers start. */
export async function mountServers(opening: MountServersOptions): Promise<OpenServers> {
  const {
    servers: given,
    memory,
    log,
    pins,
    offerLastKnown = false,
    startAfter,
    onSettled,
    selection,
    knownRows = () => [],
    requiredWaitMs = REQUIRED_WAIT_MS,
    laziness,
    auth,
    ...options
  } = opening;
  let servers = given.map((server) => lazyRow(server, laziness));
  const rowChanges = new Listeners();
  const listings = new Listeners();
  const idsOf = (isPending: boolean): readonly string[] => {
    const rows = [...servers, ...knownRows()].filter(({ pending = false }) => pending === isPending);
    return [...new Set(rows.map(({ id }) => id))];
  };
  let approved = idsOf(false);
  const review = pins && createPromptReview(pins);
  const leftOutItems = new LeftOutItems();
  const reading = new Set<Promise<void>>();
  const remember = (
    endpoint: ServerEndpoint,
    into: ServerMemory,
    extensions: ExtensionKey | undefined,
  ): Promise<void> => {
    const done = rememberAll(endpoint, { memory: into, review, leftOutItems, extensions });
    reading.add(done);
    return done.finally(() => reading.delete(done));
  };
  const lastKnown = new Map<string, readonly ToolDefinition[]>();
  const mute = new MuteServers();
  const listed = new Set<string>();
  const hasListed = (server: string): boolean => listed.has(server);
  const bridge = await mountProtocolBridge(
    { servers: [] },
    {
      ...options,
      ...(auth && { auth }),
      nameLimit: MAX_NAME_CHARS,
      catalogueSeed: lastKnown,
      ...(offerLastKnown && { seedFor: (config, extensions) => lastKnownClass(config, extensions, memory) }),
      ...(memory && { startHistory: memory.startHistory }),
      onListed: (endpoint, extensions) => {
        listed.add(endpoint.config.id);
        listings.emit();
        return memory && remember(endpoint, memory, extensions);
      },
      onMute: (server) => mute.note(server),
      ...(pins && { toolReview: pins }),
      ...(log && { onWire: (server, event) => log.record(server, event) }),
    },
  );
  const { fleet } = bridge;
  const selected = (mounted: ToolBox): ToolBox =>
    selection
      ? viewBox(mounted, {
          show: (tool) => (selection.keepsMounted(tool, approved) ? tool : undefined),
          // With other servers, a pattern may mean something else.
          onShowChange: (listener) => rowChanges.add(listener),
        })
      : mounted;
  const box = selected(bridge.box);
  const variants = new Map<ExtensionKey, ToolBox>();
  if (log) logStates(fleet, log);
  const timesMs = new Map<string, number>();
  const learning = new Map<string, Promise<unknown>>();
  /** A command that does not offer what is known from the last run needs every server. */
  const isGivenUp = (server: ServerConfig): boolean => offerLastKnown && isHopeless(server, memory);
  let isClosed = false;
  const begin = async (): Promise<readonly StartedServer[]> => {
    const elapsedMs = watchStarts(fleet);
    // Reading the files of many servers takes a while.
    const slices = new TimeSlices();
    for (const [id, tools] of offerLastKnown ? toolsOfLastRun(servers, memory) : []) {
      lastKnown.set(id, tools);
      await slices.pause();
    }
    if (isClosed) return []; // Nothing is started after the end.
    // In one turn, so the box changes once.
    const started = servers.map((server) => {
      const isLearned = !lastKnown.has(server.id) && !isGivenUp(server);
      const settled = fleet.addServer(server).then(() => {
        const ms = elapsedMs(server.id);
        timesMs.set(server.id, ms);
        const status = fleet.statusOf(server.id);
        if (status) onSettled?.(status, ms); // Without one, everything was closed meanwhile.
      });
      if (isLearned) learning.set(server.id, settled);
      return { server, isLearned, settled, answered: mute.unless(server.id, settled) };
    });
    await slices.pause(); // A client that waits for them is answered in another turn.
    return started;
  };
  const starts = startAfter ? startAfter.then(begin) : begin();
  const allOf = async (end: (start: StartedServer) => Promise<void> | undefined): Promise<void> => {
    await Promise.all((await starts).map(async (start) => end(start)));
  };
  const reload = async (rows: readonly ServerConfig[]): Promise<ReloadReport> => {
    await starts;
    const before = servers;
    servers = rows.map((server) => lazyRow(server, laziness));
    // A changed server has to list its tools again.
    for (const row of before)
      if (!servers.some((server) => isDeepStrictEqual(server, row))) {
        listed.delete(row.id);
        mute.forget(row.id);
      }
    approved = idsOf(false);
    rowChanges.emit();
    // Only servers that start now read it.
    lastKnown.clear();
    for (const [id, tools] of toolsOfLastRun(servers, memory)) lastKnown.set(id, tools);
    const running = fleet.status();
    const reloading = fleet.reload({ servers });
    for (const { id } of servers) if (!running.has(id) && !lastKnown.has(id)) learning.set(id, reloading);
    return reloading;
  };
  const lastKnownItems: OpenServers["lastKnownItems"] = (server, kind, extensions = "") => {
    const config = fleet.endpoint(server)?.config;
    const known = config && knownItems(config, kind, { memory, review, extensions });
    if (known) leftOutItems.note(server, kind, known.items, extensions);
    return known;
  };
  pins?.onChange((server) => void lastKnownItems(server, "prompts"));
  return {
    box,
    variants: (extensions) => {
      const own = variants.get(extensions) ?? selected(bridge.variants(extensions));
      variants.set(extensions, own);
      return own;
    },
    fleet,
    configs: () => servers,
    approved: () => approved,
    pending: () => idsOf(true),
    onRows: (listener) => rowChanges.add(listener),
    knownTools: (server) => {
      const config = servers.find(({ id }) => id === server);
      return config ? toolsKnownOf(config, { fleet, memory }) : [];
    },
    isFullyListed: (server) => {
      const endpoint = fleet.endpoint(server);
      if (!endpoint || !hasListed(server)) return false;
      const isPlain = endpoint.listedFor(ALL_EXTENSIONS) === "";
      return isPlain || memory?.listsFor(endpoint.config, ALL_EXTENSIONS) !== undefined;
    },
    onListed: (listener) => listings.add(listener),
    learnedOf: async (server) => {
      await starts;
      await learning.get(server);
    },
    awaitedOf: async (server) => {
      await starts;
      await mute.unless(server, learning.get(server));
    },
    isGivenUp: (server) => {
      const config = servers.find(({ id }) => id === server);
      return config !== undefined && isGivenUp(config);
    },
    isMute: (server) => mute.has(server),
    introductionOf: serverIntroductions(fleet, { memory, pins, configs: () => servers }),
    reload,
    relay: leftOutItems.watch(reviewedRelay(fleet, review)),
    lastKnownItems,
    withheldPrompts: (server) => review?.withheld(server) ?? [],
    onWithheldPrompts: (listener) => review?.onWithheld(listener) ?? (() => {}),
    leftOutItems,
    listed: async (signal) => void (await settlesWithin(Promise.all(reading), LISTS_MS, { signal })),
    onReview: (listener) => pins?.onChange(listener) ?? (() => {}),
    begun: starts.then(() => {}),
    settled: allOf(({ settled }) => settled),
    learned: allOf(({ isLearned, settled }) => (isLearned ? settled : undefined)),
    awaited: allOf(({ isLearned, answered }) => (isLearned ? answered : undefined)),
    requiredDown: watchRequired(fleet, { starts, waitMs: requiredWaitMs, hasListed }),
    timesMs,
    statuses: () => [...fleet.status().values()].map((status) => withItems(status, leftOutItems)),
    missingRequired: () => {
      const isMissing = (id: string): boolean => !isReady(fleet.statusOf(id), hasListed);
      return servers.find((server) => isRequiredServer(server) && isMissing(server.id))?.id;
    },
    [Symbol.asyncDispose]: () => {
      isClosed = true;
      return fleet.tearDown();
    },
  };
}

/** A row with the laziness of the command. A short command (`undefined`) starts every server that it opens. */
function lazyRow(server: ServerConfig, laziness: Laziness | undefined): ServerConfig {
  if (laziness === "all") return { ...server, lazy: server.lazy ?? true };
  return laziness === undefined && server.lazy ? { ...server, lazy: false } : server;
}

/** Logs each change of a server's state, with the reason. */
function logStates(fleet: Pick<ServerFleet, "onStatus">, log: ServerLog): void {
  const last = new Map<string, string>();
  fleet.onStatus((status) => {
    const text = stateText(status);
    if (last.get(status.server) === text) return;
    last.set(status.server, text);
    log.record(status.server, { kind: "state", text });
  });
}

/** The tools that are offered, withheld, hidden, or only in the last listing, under their shown names. */
function toolsKnownOf(
  config: ServerConfig,
  { fleet, memory }: { readonly fleet: ServerFleet; readonly memory: ServerMemory | undefined },
): readonly ToolIdentity[] {
  const { id: server, excludeTools = [] } = config;
  const names = new Set([
    ...["", ...EXTENSION_KEYS].flatMap((each) => fleet.catalogue(server, each).map(({ ref }) => ref.name)),
    ...fleet.withheld(server).map(({ tool }) => tool.ref.name),
    ...excludeTools,
    ...rememberedNames(memory?.entry(config)?.listing),
  ]);
  return [...names].map((tool) => ({ tool: shownToolName(config, tool), origin: { server, tool } }));
}

interface Remembering {
  /** The listing was for clients that declared these. */
  readonly extensions: ExtensionKey | undefined;
  readonly memory: ServerMemory;
  readonly review: PromptReview | undefined;
  readonly leftOutItems: LeftOutItems;
}

/** Remembers what a server offers, and reviews what the fleet does not: prompts and instructions. Never rejects. */
async function rememberAll(
  endpoint: ServerEndpoint,
  { memory, review, leftOutItems, extensions }: Remembering,
): Promise<void> {
  const listing = await memory.remember(endpoint, extensions);
  if (!listing) return;
  for (const kind of ["prompts", "resources", "templates"] as const)
    if (!listing.unread?.includes(kind))
      leftOutItems.note(endpoint.config.id, kind, listing[kind], extensions);
  if (!review) return;
  review.reviewPrompts(endpoint.config, listing.prompts, true, extensions);
  if (listing.instructions !== undefined) review.reviewInstructions(endpoint.config, listing.instructions);
}

/** The status of a server with what is left out of all its lists. */
function withItems(status: EndpointStatus, items: LeftOutItems): EndpointStatus {
  const lines = items.of(status.server);
  return lines.length > 0 ? { ...status, leftOut: [...(status.leftOut ?? []), ...lines] } : status;
}

/** The tools that each server listed last time, with its id. */
function* toolsOfLastRun(
  servers: readonly ServerConfig[],
  memory: ServerMemory | undefined,
): Iterable<readonly [string, readonly ToolDefinition[]]> {
  for (const server of servers) {
    const tools = lastKnownTools(server, memory);
    if (tools) yield [server.id, tools];
  }
}

/** The tools that a server listed last time. Undefined if not known, or if the server has kept failing since. */
export function lastKnownTools(
  server: ServerConfig,
  memory: ServerMemory | undefined,
): readonly ToolDefinition[] | undefined {
  return keepsFailing(server, memory) ? undefined : memory?.entry(server)?.listing?.tools;
}

/** The same for clients with these extensions. */
function lastKnownClass(
  server: ServerConfig,
  extensions: ExtensionKey,
  memory: ServerMemory | undefined,
): ClassSeed | undefined {
  if (keepsFailing(server, memory)) return undefined;
  const declared = sharedKey(extensions, memory?.entry(server)?.listing?.capabilities);
  if (declared === "") return undefined;
  const tools = memory?.listsFor(server, extensions)?.tools;
  return { extensions: declared, ...(tools && { tools }) };
}

interface KnownItemsOptions {
  readonly memory: ServerMemory | undefined;
  readonly review: PromptReview | undefined;
  readonly extensions: ExtensionKey;
}

/** Prompts are reviewed like those of a running server. */
function knownItems(
  config: ServerConfig,
  kind: ItemKind,
  { memory, review, extensions }: KnownItemsOptions,
): ServerItems | undefined {
  if (keepsFailing(config, memory)) return undefined;
  const lists = extensions === "" ? memory?.entry(config)?.listing : memory?.listsFor(config, extensions);
  const items = lists?.[kind];
  if (!items) return undefined;
  const server = config.id;
  if (kind !== "prompts" || !review) return { server, items };
  const { offered, withheld } = review.reviewPrompts(config, items, false, extensions);
  return { server, items: offered, withheld };
}

function keepsFailing(server: ServerConfig, memory: ServerMemory | undefined): boolean {
  return (memory?.head(server)?.failures ?? 0) >= MAX_FAILED_STARTS;
}

/** Its last starts failed or were interrupted: another one is not worth a wait. */
function isHopeless(server: ServerConfig, memory: ServerMemory | undefined): boolean {
  const { failures = 0, interrupted = 0 } = memory?.head(server) ?? {};
  return failures + interrupted >= MAX_AWAITED_STARTS;
}

/** The servers whose starts show no sign of work. */
class MuteServers {
  readonly #mute = new Set<string>();
  readonly #found = new Listeners<string>();

  has(server: string): boolean {
    return this.#mute.has(server);
  }

  note(server: string): void {
    this.#mute.add(server);
    this.#found.emit(server);
  }

  forget(server: string): void {
    this.#mute.delete(server);
  }

  /** Resolves like `settled`, or when the server is mute. */
  async unless(server: string, settled: Promise<unknown> | undefined): Promise<void> {
    if (!settled || this.#mute.has(server)) return;
    let stop = (): void => {};
    const found = new Promise<void>((resolve) => {
      stop = this.#found.add((id) => {
        if (id === server) resolve();
      });
    });
    await Promise.race([settled, found]);
    stop();
  }
}

/** Returns how long the start of a server has taken so far, without its time in the start queue. */
function watchStarts(fleet: ServerFleet): (server: string) => number {
  const allMs = performance.now();
  /** Undefined while a server is in the queue. */
  const beganMs = new Map<string, number | undefined>();
  fleet.onStatus(({ server, state }) => {
    if (state === "queued") beganMs.set(server, undefined);
    else if (beganMs.has(server) && beganMs.get(server) === undefined) beganMs.set(server, performance.now());
  });
  return (server) => {
    const nowMs = performance.now();
    return nowMs - (beganMs.has(server) ? (beganMs.get(server) ?? nowMs) : allMs);
  };
}
