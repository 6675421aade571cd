import type { ServerConfig, ServerTimeouts } from "indusagi/interop";
import type { PolicyFlags, ServeProfile, ToolSelection, ToolsListing } from "../../launch/internal.ts";
import type { RowProblem } from "../../servers/find/index.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import type { HttpTransport, ToolCost } from "../index.ts";
import type { GatewayProfile } from "../routes/profiles.ts";

export interface GatewayOptions {
  readonly servers: readonly ServerConfig[];
  /** Parts of what is offered, each at a path of its own. The profiles of `ServeProfile` always are. */
  readonly profiles?: readonly GatewayProfile[];
  /** The servers whose row cannot be used any more; `servers` has its last good form. */
  readonly rowProblems?: readonly RowProblem[];
  /** Start each server with its first call, unless its row says otherwise. Default: only if its row says so. */
  readonly lazy?: boolean;
  readonly transport: { readonly kind: "stdio" } | ({ readonly kind: "http" } & HttpTransport);
  /** For servers without time limits of their own. A call that passes such a limit counts as late, but is not ended. */
  readonly timeouts?: ServerTimeouts;
  /**
   * How long the first listing of a client waits for servers whose tools are not known from the last run. Default: by the
   * name of the client.
   */
  readonly waitMs?: number;
  /** Which of our own tools are offered. Default: `read-only`. */
  readonly profile?: ServeProfile;
  /** The filter of `--tools`. Default: none. */
  readonly selection?: Partial<ToolSelection>;
  /** Which tools clients see in a list. Default: all. */
  readonly listing?: ToolsListing;
  /** Results of more bytes are shown as a preview. Default: never. */
  readonly previewOver?: number;
  /** Default: calls that may change something need an approval. */
  readonly policy?: PolicyFlags;
  /** Files that no call changes without a question, whatever the rules: what they name is started when they change. */
  readonly protect?: readonly string[];
}

/** What changes while a gateway serves. */
export type GatewayConfiguration = Pick<GatewayOptions, "servers" | "profiles" | "rowProblems">;

/** Our own tools and the tools of all servers, ready to be served. It closes with its run. */
export interface Gateway {
  readonly servers: OpenServers;
  /** The token that clients must send, if one was made for this run. */
  readonly token?: string;
  /**
   * Uses other rows and profiles from now on. Only what differs is touched, and clients are told. Resolves when the servers of new
   * or changed rows are ready or have failed. Never rejects.
   */
  apply(configuration: GatewayConfiguration): Promise<void>;
  /** Whether clients need a token. */
  readonly needsToken: boolean;
  /** What the tools that are there now cost a model, and what it saves to list them so. */
  toolCost(): ToolCost;
  /**
   * Starts the servers, and serves until the run's signal aborts or, over stdio, the input ends. Rejects when a required
   * server is down. `onListening` is called with the URL.
   */
  serve(onListening: (url: string) => void): Promise<void>;
}
