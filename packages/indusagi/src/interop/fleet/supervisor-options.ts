import type {
  EndpointStatus,
  ExtensionKey,
  ProtocolFault,
  RemoteTool,
  ServerConfig,
  ServerEndpoint,
} from "../contract/index.ts";
import type { ServerFeed } from "./feed/server-feed.ts";
import type { Supervision } from "./fleet-options.ts";
import type { RetirableEndpoint } from "./instances/shared-endpoint.ts";
import type { ServerReview } from "./last-known-tools.ts";
import type { StartPlan } from "./starts/start-plan.ts";

/** What a supervisor of one server needs. */
export interface SupervisorOptions {
  readonly config: ServerConfig;
  /** What is wrong with its row. Such a server is never started. */
  readonly fault?: ProtocolFault | undefined;
  readonly rules: Supervision;
  /** Decides what is offered of each listing. Default: everything. */
  readonly review?: ServerReview | undefined;
  /** Creates an endpoint without starting anything. */
  mint(): RetirableEndpoint;
  /** The process of the newest endpoint, if it has started one. */
  readonly process?: (() => number | undefined) | undefined;
  /** Called when a start shows no sign of work. */
  readonly onMute?: (() => void) | undefined;
  /** Gets each endpoint that is connected. */
  readonly feed: ServerFeed;
  /** Called after every successful listing, even if nothing changed. The server counts as in use until it settles. */
  onListed?(endpoint: ServerEndpoint, extensions?: ExtensionKey): Promise<void>;
  /** Calls the listener when a new login may help. Returns a function that removes the listener. */
  readonly onLogin?: ((listener: () => void) => () => void) | undefined;
  /** Called when the tools on offer changed. */
  onTools(tools: readonly RemoteTool[], extensions?: ExtensionKey): void;
  /** Called when the status changed. */
  onStatus(status: EndpointStatus): void;
  /** The tools that the server offers before it is ready. A lazy server without them is started once to learn its tools. */
  readonly seed?: readonly RemoteTool[] | undefined;
  /** The same for clients with extensions. */
  readonly seedFor?:
    | ((
        extensions: ExtensionKey,
      ) =>
        | { readonly extensions: ExtensionKey; readonly tools: readonly RemoteTool[] | undefined }
        | undefined)
    | undefined;
  /** Decides when a start may begin, and is told about its outcome. */
  readonly plan: StartPlan;
  /** The first start waits for this, e.g. for the end of a server with the same id. */
  readonly after?: Promise<unknown> | undefined;
  /** The first start waits in the queue for this, unless a call needs it. */
  readonly heldUntil?: Promise<unknown> | undefined;
}
