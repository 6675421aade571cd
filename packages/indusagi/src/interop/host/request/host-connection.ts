import type { RequestStateCodec, Server, ServerContext } from "@modelcontextprotocol/server";
import { CoreError } from "../../../core/index.ts";
import type { CallerAbilities, ToolBox } from "../../../runtime/index.ts";
import type { HostClient } from "../../contract/index.ts";
import type { HostCore } from "../host-core.ts";
import { ClientSubscriptions } from "../subscriptions/client-subscriptions.ts";
import { attempt } from "./attempt.ts";
import type { HostPeer } from "./host-peer.ts";
import { Introductions } from "./introduction.ts";

/** One SDK server and the client it serves. */
export class HostConnection {
  readonly core: HostCore;
  readonly peer: HostPeer;
  readonly server: Server;
  readonly #codec: RequestStateCodec<object>;
  readonly #introductions: Introductions;
  #box: ToolBox | undefined;
  #stopFollowingBox: () => void = () => {};
  /** The resources this connection watches in the legacy era. */
  readonly watched: ClientSubscriptions;
  /** Called with the box chosen for this client. Returns a function that stops following it. */
  onBoxChosen: ((box: ToolBox) => () => void) | undefined;

  constructor(core: HostCore, peer: HostPeer, server: Server, codec: RequestStateCodec<object>) {
    this.core = core;
    this.peer = peer;
    this.server = server;
    this.#codec = codec;
    this.watched = new ClientSubscriptions(core.watches);
    this.#introductions = new Introductions(server);
  }

  /**
   * The client that makes this request. Without a session and a principal each request has its own key: two clients
   * of one listener must not share an attribution.
   */
  client(ctx: ServerContext): Omit<HostClient, "era"> {
    const { session, principal, request = "" } = this.peer;
    const { client } = this.#introductions.of(ctx);
    return {
      key: session ?? principal ?? request,
      ...(principal === undefined ? {} : { principal }),
      ...(client === undefined ? {} : { client }),
    };
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
