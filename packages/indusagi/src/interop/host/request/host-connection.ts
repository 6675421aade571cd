import type { RequestStateCodec, Server, ServerContext } from "@modelcontextprotocol/server";
import { CoreError } from "../../../core/index.ts";
import type { CallerAbilities, ToolBox } from "../../../runtime/index.ts";
import type { HostClient } from "../../contract/index.ts";
import type { HostCore } from "../host-core.ts";
import { ClientSubscriptions } from "../subscriptions/client-subscriptions.ts";
import { attempt } from "./attempt.ts";
import type { HostPeer } from "./host-peer.ts";
import { Introductions } from "./introduction.ts";

/** One SDK server and whom it serves. */
export class HostConnection {
  readonly core: HostCore;
  readonly peer: HostPeer;
  readonly server: Server;
  readonly #codec: RequestStateCodec<object>;
  readonly #introductions: Introductions;
  #box: ToolBox | undefined;
  #stopFollowingBox: () => void = () => {};
  /** The resources this connection watches, in the legacy era. */
  readonly watched: ClientSubscriptions;
  /** Told of the box that was chosen for this client; returns the way to stop following it. */
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
   * Who makes this request. Where there is neither a session nor a principal, every request stands for itself:
   * two strangers who share a listener must not share an attribution.
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

  /** What may be asked of whoever makes this request. */
  abilities(ctx: ServerContext): CallerAbilities {
    return this.#introductions.of(ctx).can;
  }

  /** Who may come back for a conversation: a later request of the same session or principal, or whoever holds its seal. */
  get owner(): string {
    return this.peer.session ?? this.peer.principal ?? "anyone";
  }

  /** The tools this client is offered; chosen once for a connection. */
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

  /** In the modern era the SDK filters by what the client's streams ask for. */
  isWatching(uri: string): boolean {
    return this.peer.era === "modern" || this.watched.has(uri);
  }

  /** The connection is over: nothing is followed or watched for it any longer, and no question waits for its answer. */
  end(): void {
    attempt(this.#stopFollowingBox, (message) => this.core.report(message));
    this.watched.end();
    const { session } = this.peer;
    if (session !== undefined)
      this.core.parked.endOwned(session, new CoreError("disconnected", "the client is gone"));
  }

  seal(state: object, ctx: ServerContext): Promise<string> {
    return this.#codec.mint(state, ctx);
  }
}
