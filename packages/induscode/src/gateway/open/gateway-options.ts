import type {
  HttpSite,
  MessageTransport,
  ProviderHost,
  ServerConfig,
  ServerTimeouts,
  SessionsElsewhere,
} from "indusagi/interop";
import type { PolicyFlags, ServeProfile, ToolSelection, ToolsListing } from "../../launch/internal.ts";
import type { RowProblem } from "../../servers/find/index.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import type { CallPlaces, HttpTransport, ListingCost, ResultsElsewhere } from "../index.ts";
import type { GatewayProfile } from "../routes/profiles.ts";
import type { GatewayView } from "./gateway-view.ts";

export interface GatewayOptions {
  readonly servers: readonly ServerConfig[];
  /** Subsets of the offer, each at its own path, in addition to those of `ServeProfile`. */
  readonly profiles?: readonly GatewayProfile[] | undefined;
  /** Servers whose row became unusable; `servers` has its last good form. */
  readonly rowProblems?: readonly RowProblem[] | undefined;
  /** Start each server on its first call, unless its row says otherwise. Default: only if its row says so. */
  readonly lazy?: boolean | undefined;
  /** `links`: to other gateways of ours, see `Gateway.hostOf`. */
  readonly transport: { readonly kind: "stdio" | "links" } | ({ readonly kind: "http" } & HttpTransport);
  /** Reach the servers through workers. Default: start or connect to them here. */
  readonly workers?: WorkerLinks | undefined;
  /** For servers whose row sets none. A call that exceeds such a limit counts as late, but is not aborted. */
  readonly timeouts?: ServerTimeouts | undefined;
  /**
   * How long a client's first listing waits for servers whose tools are not known from the last run. Default: depends on the
   * client's name.
   */
  readonly waitMs?: number | undefined;
  /** Which native tools are offered. Default: `read-only`. */
  readonly profile?: ServeProfile | undefined;
  /** The filter of `--tools`. Default: none. */
  readonly selection?: Partial<ToolSelection> | undefined;
  /** Which tools clients see in a list. Default: all. */
  readonly listing?: ToolsListing | undefined;
  /** A folder of skills to publish next to those of the servers, as an absolute path. Default: none. */
  readonly skills?: string | undefined;
  /** Larger results, in bytes, are sent as a preview. Default: never. */
  readonly previewOver?: number | undefined;
  /** Accept the tools of apps under the names that they have on their servers. Default: no. */
  readonly bareAppNames?: boolean | undefined;
  /** Calls that take longer become tasks for clients that follow tasks. Default: never. */
  readonly taskAfterMs?: number | undefined;
  /** Default: calls that may change something need approval. */
  readonly policy?: PolicyFlags | undefined;
  /** Files that no call may change without approval, whatever the rules: editing them starts programs. */
  readonly protect?: readonly string[] | undefined;
}

/** How a gateway reaches servers that run elsewhere. */
export interface WorkerLinks {
  /** The way to a server: a new one for each connection. */
  transport(config: ServerConfig): MessageTransport;
  /** Calls the listener with each server that waited for a login and may be had now. */
  onLogin(listener: (server: string) => void): () => void;
  /** Seals what clients hold. The same for all gateways, so a client may go on at another one. */
  readonly key: Uint8Array;
  /** The sessions of the other gateways. They are told where this one listens. */
  readonly sessions: SessionsElsewhere & { listening(url: string): void };
  /** The large results that the other gateways keep. */
  readonly results: ResultsElsewhere;
  /** The places for the calls of a token at all gateways together. */
  readonly places: (token: string, most: number) => CallPlaces;
}

/** What changes while a gateway serves. */
export type GatewayConfiguration = Pick<GatewayOptions, "servers" | "profiles" | "rowProblems">;

/** Native tools and the tools of all servers, ready to serve. Closes with its run. */
export interface Gateway {
  readonly servers: OpenServers;
  /** The token that clients must send, if one was made for this run. */
  readonly token?: string | undefined;
  /**
   * Applies new rows and profiles. Touches only what differs, and notifies clients. Resolves when the servers of new or changed
   * rows are ready or have failed. Never rejects.
   */
  apply(configuration: GatewayConfiguration): Promise<void>;
  /** Whether clients need a token. */
  readonly needsToken: boolean;
  /** What the console shows of it. */
  readonly view: GatewayView;
  /** One server as it is, for links to other gateways of ours. The same host each time. */
  hostOf(server: string): ProviderHost;
  /** What the current tools cost a model, and what the listing mode saves. */
  listingCost(): ListingCost;
  /**
   * Starts the servers, and serves until the run's signal aborts or, over stdio, the input ends. Rejects when a required
   * server is down. `onListening` is called with the URL. `site`: what is served next to the endpoint.
   */
  serve(onListening: (url: string) => void, site?: HttpSite): Promise<void>;
}
