import type { RequestStateCodec, Server, ServerContext } from "@modelcontextprotocol/server";
import { CoreError } from "../../../core/index.ts";
import type { CallerAbilities, LogLevel, ToolBox } from "../../../runtime/index.ts";
import type { HostClient, HostProviders } from "../../contract/index.ts";
import type { HostCore } from "../host-core.ts";
import { AskedElicitations } from "../questions/asked-elicitations.ts";
import { ClientSubscriptions } from "../subscriptions/client-subscriptions.ts";
import { attempt } from "./attempt.ts";
import { type HostPeer, isSinglePeer, peerKey } from "./host-peer.ts";
import { type Introduction, Introductions } from "./introduction.ts";

export interface ConnectionParts {
  readonly core: HostCore;
  readonly peer: HostPeer;
  readonly server: Server;
  readonly codec: RequestStateCodec<object>;
  readonly providers: HostProviders;
}

/** One SDK server and the client it serves. */
export class HostConnection {
  readonly core: HostCore;
  readonly peer: HostPeer;
  readonly server: Server;
  /** What this client is offered beside tools. */
  readonly providers: HostProviders;
  /** The level that a client of the legacy era has asked for. */
  logLevel: LogLevel | undefined;
  readonly #codec: RequestStateCodec<object>;
  readonly #introductions: Introductions;
  #box: ToolBox | undefined;
  #stopFollowingBox: () => void = () => {};
  /** The resources this connection watches in the legacy era. */
  readonly watched: ClientSubscriptions;
  /** The elicitations by URL that this client was asked: it is told when one of them is completed. */
  readonly elicitations: AskedElicitations = new AskedElicitations();
  /** Called with the box chosen for this client. Returns a function that stops following it. */
  onBoxChosen: ((box: ToolBox) => () => void) | undefined;

  constructor({ core, peer, server, codec, providers }: ConnectionParts) {
    this.core = core;
    this.peer = peer;
    this.server = server;
    this.#codec = codec;
    this.providers = providers;
    this.watched = new ClientSubscriptions({ watchers: core.watches, provider: providers.resources });
    this.#introductions = new Introductions(server);
  }

  /** The client that makes this request. */
  client(ctx: ServerContext): Omit<HostClient, "era"> {
    const { principal } = this.peer;
    const { client } = this.#introductions.of(ctx);
    return {
      key: peerKey(this.peer),
      ...(isSinglePeer(this.peer) ? { isSingle: true } : {}),
      ...(principal === undefined ? {} : { principal }),
      ...(client === undefined ? {} : { client }),
    };
  }

  /** The client of a legacy connection, once it has introduced itself. */
  introduction(): Introduction {
    return this.#introductions.ofConnection();
  }

  /** What the client of this request can be asked. */
  abilities(ctx: ServerContext): CallerAbilities {
    return this.#introductions.of(ctx).can;
  }

  /**
   * Who may continue a conversation: a later request of the same session or principal, else any holder of its sealed
   * state.
   */
  get owner(): string {
    return this.peer.session ?? this.peer.principal ?? "anyone";
  }

  /** The tools offered to this client; chosen once per connection. */
  box(ctx: ServerContext): ToolBox {
    const { box } = this.core;
    if (typeof box !== "function") return box;
    if (this.peer.box) return this.peer.box;
    if (!this.#box) {
      this.#box = box({ ...this.client(ctx), era: this.peer.era });
      this.#stopFollowingBox = this.onBoxChosen?.(this.#box) ?? (() => {});
    }
    return this.#box;
  }

  /** In the modern era the SDK filters by the subscriptions of the client. */
  isWatching(uri: string): boolean {
    return this.peer.era === "modern" || this.watched.has(uri);
  }

  /** Ends the connection: stops following and watching for it, and ends the calls that wait for its answers. */
  end(): void {
    attempt(this.#stopFollowingBox, (message) => this.core.report(message));
    this.watched.end();
    const { session } = this.peer;
    if (session !== undefined)
      this.core.parked.endOwned(session, new CoreError("disconnected", "the client disconnected"));
  }

  seal(state: object, ctx: ServerContext): Promise<string> {
    return this.#codec.mint(state, ctx);
  }
}
