import { type Clock, settlesWithin } from "../../core/index.ts";
import {
  isUsablePhase,
  type ProtocolFault,
  type ServerEndpoint,
  type ToolListing,
} from "../contract/index.ts";
import { EndpointLease } from "./endpoint-lease.ts";
import type { RetirableEndpoint } from "./instances/shared-endpoint.ts";

/** Our transports close faster than this; an injected one may never finish. */
const CLOSE_MS = 10_000;
/** Endpoints that failed close themselves once their last requests are answered. At most this many may be doing so. */
const MAX_CLOSING_THEMSELVES = 4;

export interface CurrentEndpointOptions {
  readonly clock: Clock;
  /** Creates an endpoint without starting anything. */
  mint(): RetirableEndpoint;
  /** Called when the current endpoint ends; without a fault if it was closed. */
  onEnd(fault: ProtocolFault | undefined): void;
  /** Called when the current endpoint has listed different tools. */
  onTools(listing: ToolListing): void;
  /** The first endpoint may be opened after this, e.g. after a server with the same id has ended. */
  readonly after: Promise<unknown> | undefined;
}

/** The newest endpoint of one server, and the end of the earlier ones: two of them never run at the same time. */
export class CurrentEndpoint {
  readonly #options: CurrentEndpointOptions;
  #lease: EndpointLease;
  #retirable!: RetirableEndpoint;
  /** Resolves when the endpoints before are closed. */
  #cleared: Promise<unknown> | undefined;
  #closingThemselves: ServerEndpoint[] = [];

  constructor(options: CurrentEndpointOptions) {
    this.#options = options;
    this.#cleared = options.after;
    this.#lease = this.#mint();
  }

  get endpoint(): ServerEndpoint {
    return this.#lease.endpoint;
  }

  /** The version that the connected server reports about itself. */
  get version(): string | undefined {
    const version: unknown = isUsablePhase(this.endpoint.phase)
      ? this.endpoint.session().serverInfo.version
      : undefined;
    return typeof version === "string" ? version : undefined;
  }

  get lease(): EndpointLease {
    return this.#lease;
  }

  /** Resolves when the next endpoint may be opened; `undefined` if that is now. */
  get cleared(): Promise<unknown> | undefined {
    return this.#cleared;
  }

  /** Mints a new endpoint and ends the one before, unless that was never opened. */
  renew(): void {
    const { endpoint: old } = this;
    if (old.phase === "idle") return;
    this.#lease = this.#mint();
    if (old.phase !== "faulted") return this.#close(old);
    this.#closingThemselves.push(old);
    if (this.#closingThemselves.length > MAX_CLOSING_THEMSELVES)
      void this.#closingThemselves.shift()?.close();
  }

  close(): void {
    this.#close(this.endpoint);
  }

  /** Returns a function that ends the connection which the present endpoint may share, also after it is no longer the current one. */
  retirement(): () => void {
    const endpoint = this.#retirable;
    return () => void endpoint.retire?.();
  }

  /** Closes the current endpoint and everything before it. */
  async closeAll(): Promise<void> {
    const closing = [this.endpoint, ...this.#closingThemselves].map((endpoint) => endpoint.close());
    await settlesWithin(Promise.all([this.#cleared, ...closing]), CLOSE_MS);
  }

  #close(endpoint: ServerEndpoint): void {
    const closing = Promise.all([this.#cleared, settlesWithin(endpoint.close(), CLOSE_MS)]);
    this.#cleared = closing.then(() => {});
  }

  #mint(): EndpointLease {
    const endpoint = this.#options.mint();
    this.#retirable = endpoint;
    endpoint.onEnd((fault) => {
      if (this.endpoint === endpoint) this.#options.onEnd(fault);
    });
    endpoint.onToolsChanged((listing) => {
      if (this.endpoint === endpoint) this.#options.onTools(listing);
    });
    return new EndpointLease(endpoint, this.#options.clock);
  }
}
