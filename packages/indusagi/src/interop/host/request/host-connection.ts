import type { RequestStateCodec, Server, ServerContext } from "@modelcontextprotocol/server";
import { CoreError } from "../../../core/index.ts";
import type {
  Caller,
  CallerAbilities,
  ClientInfo,
  LogLevel,
  Questions,
  ToolBox,
} from "../../../runtime/index.ts";
import { extensionsIn, pickExtensions } from "../../content/index.ts";
import {
  type Extensions,
  type HostClient,
  type HostProviders,
  type LinkedCaller,
  linkedCallerIn,
  linkedOwner,
  type ProviderHostInfo,
  type RawResult,
} from "../../contract/index.ts";
import type { HostCore } from "../host-core.ts";
import { ClientSubscriptions } from "../subscriptions/client-subscriptions.ts";
import { attempt } from "./attempt.ts";
import { type HostPeer, peerIdentity, peerOwner } from "./host-peer.ts";
import type { RequestContext } from "./request-context.ts";

export interface ConnectionParts {
  readonly core: HostCore;
  readonly peer: HostPeer;
  /** Absent for a modern request over HTTP that takes the lane. */
  readonly server?: Server | undefined;
  /** Seals states. Made when the first one is sealed. */
  readonly codec: () => RequestStateCodec<object>;
  /** Chosen when they are first used. */
  readonly providers: () => HostProviders;
  /** Whether the client may use tools. */
  readonly offersTools: boolean;
  readonly offersLogging: boolean;
  /** How the host presents itself. */
  readonly info: Omit<ProviderHostInfo, "instructions">;
}

/** One client: a connection, or a single request without one. */
export class HostConnection {
  readonly core: HostCore;
  readonly peer: HostPeer;
  readonly offersTools: boolean;
  readonly info: ConnectionParts["info"];
  /** Whether the client may be sent log messages. */
  readonly offersLogging: boolean;
  /** Called at the end of the connection, after everything else. */
  onEnd: (() => void) | undefined;
  #settled: Map<string | number, RawResult> | undefined;
  readonly #server: Server | undefined;
  /** The level that a client of the legacy era has asked for. */
  logLevel: LogLevel | undefined;
  readonly #codec: () => RequestStateCodec<object>;
  readonly #introductions: Introductions;
  readonly #identity: Omit<HostClient, "era" | "client">;
  /** Of the last request: most repeat it. */
  #caller:
    | {
        readonly introduction: Introduction;
        readonly caller: Omit<HostClient, "era"> & Pick<Caller, "can">;
      }
    | undefined;
  #box: ToolBox | undefined;
  /** The boxes that were chosen, each with what stops following it. Made for the first: most requests choose none. */
  #followed: Map<ToolBox, () => void> | undefined;
  readonly #chooseProviders: () => HostProviders;
  #providers: HostProviders | undefined;
  #watched: ClientSubscriptions | undefined;
  /** The elicitations by URL that this client was asked: it is notified when one is completed. */
  readonly elicitations: AskedElicitations = new AskedElicitations();
  /** Whether a legacy client is offered tasks, if its revision has them. */
  offersLegacyTasks = false;
  /** The tasks of this client: it is notified when the state of one changes. */
  readonly followedTasks: RecentIds = new RecentIds();
  /** Called with the id of a task that the client follows from now on. */
  onTaskFollowed: ((taskId: string) => void) | undefined;
  #over: AbortController | undefined;
  /** Called with the box chosen for this client. Returns a function that stops following it. */
  onBoxChosen: ((box: ToolBox) => () => void) | undefined;

  constructor({ core, peer, server, codec, providers, offersTools, offersLogging, info }: ConnectionParts) {
    this.core = core;
    this.peer = peer;
    this.#server = server;
    this.#codec = codec;
    this.#chooseProviders = providers;
    this.offersTools = offersTools;
    this.info = info;
    this.offersLogging = offersLogging;
    this.#settled = peer.settled;
    this.#introductions = new Introductions(server, core, peer.era);
    this.#identity = peerIdentity(peer);
  }

  /** What this client is offered besides tools. */
  get providers(): HostProviders {
    this.#providers ??= this.#chooseProviders();
    return this.#providers;
  }

  get server(): Server {
    if (!this.#server) throw new CoreError("no_server", "a request on the lane has no SDK server");
    return this.#server;
  }

  /** The resources this connection watches in the legacy era. */
  get watched(): ClientSubscriptions {
    this.#watched ??= new ClientSubscriptions({
      watchers: this.core.watches,
      provider: this.providers.resources,
    });
    return this.#watched;
  }

  /** The client that makes this request. */
  client(ctx: RequestContext): Omit<HostClient, "era"> {
    const { client } = this.#introductions.of(ctx);
    const identity = this.#linkedCaller(ctx) ?? this.#identity;
    return client ? { client, ...identity } : identity;
  }

  #linkedCaller(ctx: RequestContext): LinkedCaller | undefined {
    return this.core.isLinked ? linkedCallerIn(ctx.mcpReq._meta) : undefined;
  }

  /** The client of a legacy connection, once it has introduced itself. */
  introduction(): Introduction {
    return this.#introductions.ofConnection();
  }

  /** What the client of this request can be asked. */
  abilities(ctx: RequestContext): CallerAbilities {
    return this.#introductions.of(ctx).can;
  }

  /** The client and its abilities, which each call needs. */
  caller(ctx: RequestContext): Omit<HostClient, "era"> & Pick<Caller, "can"> {
    const introduction = this.#introductions.of(ctx);
    const linked = this.#linkedCaller(ctx);
    if (linked) return { can: introduction.can, ...linked };
    if (this.#caller?.introduction === introduction) return this.#caller.caller;
    const { can, client } = introduction;
    const caller = client ? { can, client, ...this.#identity } : { can, ...this.#identity };
    this.#caller = { introduction, caller };
    return caller;
  }

  /** Who may continue what this request begins. */
  ownerOf(ctx: RequestContext): string {
    const linked = this.#linkedCaller(ctx);
    return linked ? linkedOwner(linked) : this.owner;
  }

  get owner(): string {
    return peerOwner(this.peer);
  }

  /** Who may ask about a task: the principal in any of its sessions, else the session. */
  get taskOwner(): string {
    return this.peer.principal ?? this.owner;
  }

  /** The extensions that count for what this client is offered. A link has many clients, so each request says it for itself. */
  extensions(ctx: RequestContext): Extensions | undefined {
    return this.core.isLinked ? this.abilities(ctx).extensions : this.peer.extensions;
  }

  /** The tools offered to this client; chosen once per connection, and for each request of a link. */
  box(ctx: RequestContext): ToolBox {
    const { box, isLinked } = this.core;
    if (typeof box !== "function") return box;
    if (this.peer.box) return this.peer.box;
    if (this.#box && !isLinked) return this.#box;
    const extensions = this.extensions(ctx);
    const chosen = box({ ...this.client(ctx), era: this.peer.era, ...(extensions && { extensions }) });
    this.#box = chosen;
    this.#followed ??= new Map();
    if (!this.#followed.has(chosen)) this.#followed.set(chosen, this.onBoxChosen?.(chosen) ?? (() => {}));
    return chosen;
  }

  /** In the modern era the SDK filters by the subscriptions of the client. */
  isWatching(uri: string): boolean {
    return this.peer.era === "modern" || this.watched.has(uri);
  }

  /** The client has a task, and is told of its changes from now on. */
  followTask(taskId: string): void {
    if (this.followedTasks.has(taskId)) return;
    this.followedTasks.add(taskId);
    this.onTaskFollowed?.(taskId);
  }

  /** Aborts when the connection ends. */
  get over(): AbortSignal {
    this.#over ??= new AbortController();
    return this.#over.signal;
  }

  /** Ends the connection: stops following and watching for it, and ends calls that wait for its answers. */
  end(): void {
    for (const stop of this.#followed?.values() ?? []) attempt(stop, (message) => this.core.report(message));
    this.watched.end();
    this.#over?.abort();
    const { session } = this.peer;
    if (session !== undefined) {
      this.core.parked.endOwned(session, new CoreError("disconnected", "the client disconnected"));
      this.core.keptTasks.endOwned(session);
    }
    this.onEnd?.();
  }

  /** Keeps a result that the SDK only has to check and send, see `HostPeer.settled`. */
  settle(id: string | number, result: RawResult): void {
    this.#settled ??= new Map();
    this.#settled.set(id, result);
  }

  takeSettled(id: string | number): RawResult | undefined {
    const result = this.#settled?.get(id);
    if (result) this.#settled?.delete(id);
    return result;
  }

  seal(state: object, ctx: RequestContext): Promise<string> {
    // It reads the method only, see `stateCodec`.
    return this.#codec().mint(state, ctx as ServerContext);
  }
}

/** Beyond it the oldest is forgotten, and its client learns of its end only by asking again. */
const MAX_IDS = 100;

/** What one client is to be notified about. */
class RecentIds {
  /** Created by the first one: most requests have none. */
  #ids: Set<unknown> | undefined;

  add(id: string): void {
    this.#ids ??= new Set();
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > MAX_IDS) this.#ids.delete(oldest);
  }

  has(id: unknown): boolean {
    return this.#ids?.has(id) ?? false;
  }
}

/** The elicitations by URL that one client was asked. */
class AskedElicitations extends RecentIds {
  note(requests: Questions): void {
    for (const { params } of Object.values(requests)) {
      const id = params?.["elicitationId"];
      if (typeof id === "string") this.add(id);
    }
  }
}

/** A client's own description of itself. */
interface Introduction {
  readonly client?: ClientInfo | undefined;
  readonly can: CallerAbilities;
}

/**
 * Reads the client descriptions of one connection. Each call needs one, and most repeat the last, so the last is
 * cached.
 */
class Introductions {
  readonly #server: Server | undefined;
  readonly #core: HostCore;
  readonly #era: HostPeer["era"];
  #info: unknown;
  #capabilities: unknown;
  #last: Introduction = { can: {} };

  constructor(server: Server | undefined, core: HostCore, era: HostPeer["era"]) {
    this.#server = server;
    this.#core = core;
    this.#era = era;
  }

  /** In the modern era each request describes its client; in the legacy era the client did so once. */
  of(ctx: RequestContext): Introduction {
    const envelope: { readonly [key: string]: unknown } = ctx.mcpReq.envelope ?? {};
    return this.#read(
      envelope["io.modelcontextprotocol/clientInfo"] ?? this.#server?.getClientVersion(),
      envelope["io.modelcontextprotocol/clientCapabilities"] ?? this.#server?.getClientCapabilities(),
    );
  }

  /** The client of a legacy connection. */
  ofConnection(): Introduction {
    return this.#read(this.#server?.getClientVersion(), this.#server?.getClientCapabilities());
  }

  #read(info: unknown, capabilities: unknown): Introduction {
    if (info === this.#info && capabilities === this.#capabilities) return this.#last;
    this.#info = info;
    this.#capabilities = capabilities;
    this.#last = { client: knownClient(info), can: declaredAbilities(capabilities, this.#core, this.#era) };
    return this.#last;
  }
}

/** The lane passes the same objects for the same description, so each is read once. */
const clients = new WeakMap<object, ClientInfo>();
const abilities = {
  legacy: new WeakMap<HostCore, WeakMap<object, CallerAbilities>>(),
  modern: new WeakMap<HostCore, WeakMap<object, CallerAbilities>>(),
};

function knownClient(info: unknown): ClientInfo | undefined {
  if (typeof info !== "object" || info === null) return undefined;
  const client = clients.get(info) ?? clientOf(info);
  if (client) clients.set(info, client);
  return client;
}

/** What a client can be asked, and what it lets its servers know, from the capabilities that it declares. */
export function declaredAbilities(
  capabilities: unknown,
  core: HostCore,
  era: HostPeer["era"],
): CallerAbilities {
  if (typeof capabilities !== "object" || capabilities === null) return {};
  const ofCore = abilities[era];
  const known = ofCore.get(core) ?? new WeakMap<object, CallerAbilities>();
  ofCore.set(core, known);
  const can = known.get(capabilities) ?? abilitiesOf(capabilities, (id) => core.passesExtension(id, era));
  known.set(capabilities, can);
  return can;
}

function clientOf(info: unknown): ClientInfo | undefined {
  const { name, version, title } = (info ?? {}) as Partial<ClientInfo>;
  if (typeof name !== "string") return undefined;
  return {
    name,
    ...(version === undefined ? {} : { version }),
    ...(title === undefined ? {} : { title }),
  };
}

/** What a tool can ask a client and may know of it, from the client's declared capabilities. */
function abilitiesOf(capabilities: unknown, passesExtension: (id: string) => boolean): CallerAbilities {
  const { elicitation, sampling, roots } = recordOf(capabilities);
  const declared = extensionsIn(capabilities);
  const extensions = declared && pickExtensions(declared, passesExtension);
  return {
    ...(elicitation === undefined ? {} : { elicit: elicitationOf(recordOf(elicitation)) }),
    ...(sampling === undefined ? {} : { sample: samplingOf(recordOf(sampling)) }),
    ...(roots === undefined ? {} : { roots: true }),
    ...(extensions ? { extensions } : {}),
  };
}

/** An empty `elicitation: {}` means forms. */
function elicitationOf({ form, url }: Record<string, unknown>): NonNullable<CallerAbilities["elicit"]> {
  return {
    ...(form !== undefined || url === undefined ? { form: true } : {}),
    ...(url === undefined ? {} : { url: true }),
  };
}

function samplingOf({ tools, context }: Record<string, unknown>): NonNullable<CallerAbilities["sample"]> {
  return {
    ...(tools === undefined ? {} : { tools: true }),
    ...(context === undefined ? {} : { context: true }),
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
