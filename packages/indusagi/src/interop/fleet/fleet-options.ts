import { type Clock, systemClock } from "../../core/index.ts";
import type {
  ExtensionKey,
  ServerConfig,
  ServerEndpoint,
  StartHistory,
  TokenProvider,
  ToolDefinition,
  ToolReview,
} from "../contract/index.ts";
import type { EndpointOptions, InjectedTransport } from "../endpoint/index.ts";
import type { InstanceLimits } from "./client-instances.ts";
import type { PoolMember } from "./instances/instance-pool.ts";
import type { StartOptions } from "./starts/start-options.ts";

/** What a server listed for clients with some extensions. */
export interface ClassSeed {
  /** Those that were declared for the list: the ones that the server declares too. */
  readonly extensions: ExtensionKey;
  /** Absent if its list for them is not known. A server that is not lazy is then asked for it at once. */
  readonly tools?: readonly ToolDefinition[];
}

export interface FleetOptions extends Omit<EndpointOptions, "auth"> {
  /** The tokens for one server behind HTTP; `undefined` for none. Called once for each server of a configuration. */
  readonly auth?: (config: ServerConfig) => TokenProvider | undefined;
  /** Creates the transport of a server; `undefined` for the configured one. Called again for every restart. */
  readonly transport?: (config: ServerConfig) => InjectedTransport | undefined;
  /** Options for the endpoints of one server; they win over those of the fleet, except `onLog`: both are called. */
  readonly endpointOptions?: (config: ServerConfig) => EndpointOptions;
  /**
   * What a server listed last time, by server id (`tool.definition` of each tool in `catalogue`). These tools are offered
   * before the server is ready, and a call waits for it. A first start that fails for good withdraws them. A lazy server with
   * an entry is not started before its first call; one without an entry is started once to learn its tools, and then stopped.
   */
  readonly catalogueSeed?: ReadonlyMap<string, readonly ToolDefinition[]>;
  /** What a server listed last time for clients with some extensions, see `ServerFleet.listFor`. Offered in the same way. */
  readonly seedFor?: (config: ServerConfig, extensions: ExtensionKey) => ClassSeed | undefined;
  /**
   * Servers in `catalogueSeed` start after this settles, except required ones and those a call needs: starting processes would
   * compete with the answer to a client that waits for these tools. Default: two turns of the event loop.
   */
  readonly startKnownAfter?: Promise<unknown>;
  /** Decides what is offered of each listing. Default: everything, as listed. */
  readonly toolReview?: ToolReview;
  /**
   * Called after every successful listing of a server, even if nothing changed, with the endpoint that listed its tools. A lazy
   * server that was started only to learn its tools keeps running until the returned promise settles. `extensions`: what was
   * declared for this listing, if it was for clients with extensions only.
   */
  readonly onListed?: (endpoint: ServerEndpoint, extensions?: ExtensionKey) => void | Promise<unknown>;
  /**
   * How many processes may be starting at the same time; the others wait in a queue. Servers behind HTTP are counted separately.
   * Default: twice the number of processor cores, between 4 and 12.
   */
  readonly startConcurrency?: number;
  readonly starts?: StartOptions;
  /** What is known about earlier starts of each server. Default: what this fleet has seen itself. */
  readonly startHistory?: StartHistory;
  /**
   * Called with the id of a server when its start shows no sign of work for `starts.muteMs`. The start goes on, but whoever waits
   * for it may stop waiting.
   */
  readonly onMute?: (server: string) => void;
  /** `start` waits at most this long; later servers join by themselves. Default: until every server is ready or has failed. */
  readonly waitMs?: number;
  /** Shares running servers with the other fleets of a pool. Default: this fleet's servers are its own. */
  readonly sharing?: PoolMember | undefined;
  /** Limits for servers that run one instance per client or principal (`share` in their rows). */
  readonly instances?: InstanceLimits;
  /** How failed servers are restarted. On by default; with `false` a failed server stays failed. */
  readonly supervision?: SupervisionOptions | false;
}

/** When a server that keeps failing is no longer restarted at once. */
export interface BreakerOptions {
  /** The number of failures that opens the breaker. Default 5. */
  readonly failures?: number;
  /** Older failures do not count if a start has succeeded since. Default 60 s. */
  readonly withinMs?: number;
  /** The time between retries while the breaker is open. Default 30 s. */
  readonly retryMs?: number;
}

/**
 * When a connected server counts as hanging. After `missed` calls have timed out without a byte from the server in between,
 * it is probed. If it does not answer, it is restarted as soon as no call waits for it.
 */
export interface HealthOptions {
  /** How many timed-out calls make it suspect. Default 2. */
  readonly missed?: number;
  /** The time a server has to answer one probe. Default 10 s. */
  readonly probeMs?: number;
  /** How often the probes are repeated. Default 2. */
  readonly rounds?: number;
}

/** How the fleet keeps its servers running. */
export interface SupervisionOptions {
  /** The delay before the first restart; it doubles with each failure. Default 250 ms. */
  readonly firstDelayMs?: number;
  /** The longest delay. Default 30 s. */
  readonly maxDelayMs?: number;
  /** The share of each delay that is random, 0 to 1. Default 0.5. */
  readonly jitter?: number;
  readonly breaker?: BreakerOptions;
  /** Stop a server that has not been used for this long; the next call starts it. Default never. */
  readonly idleMs?: number;
  /** Restart a server that hangs. On by default; `false` turns it off. */
  readonly health?: HealthOptions | false;
  /** Start a server on its first call; see `catalogueSeed` for how its tools are known before that. Default false. */
  readonly lazy?: boolean;
  /** Ping a server that has not been used for this long. Default never. */
  readonly checkMs?: number;
  /** The time a server has to answer that ping. Default 10 s. */
  readonly checkTimeoutMs?: number;
  /**
   * How long `acquire` waits for a server that is starting, unless its signal aborts earlier. The time in the start queue and
   * during an installation does not count. Default 30 s.
   */
  readonly acquireMs?: number;
  /**
   * How long `acquire` waits in total. It then rejects with the advice to call again, before the client gives up: clients of
   * the MCP SDK wait 60 s by default. Default 50 s, or `acquireMs` if that is longer.
   */
  readonly maxWaitMs?: number;
  /** The time between two progress notes to a caller that waits for a start. Default 5 s. */
  readonly noteMs?: number;
  /** How long a reload lets running calls finish before it ends their server. Default 10 s. */
  readonly drainMs?: number;
  readonly clock?: Clock;
  /** Returns numbers in [0, 1) for the jitter. */
  readonly random?: () => number;
}

/** The default idle time of a lazy server. */
const LAZY_IDLE_MS = 5 * 60_000;

/** The rules for one server: its configuration overrides those of the fleet. */
export function rulesFor({ lazy, idleMs }: ServerConfig, rules: Supervision): Supervision {
  if (lazy === undefined && idleMs === undefined) return rules;
  const standardMs = lazy ? LAZY_IDLE_MS : undefined;
  return { ...rules, lazy: lazy ?? rules.lazy, idleMs: idleMs ?? rules.idleMs ?? standardMs };
}

/** The options with every default filled in. `restarts` is false if supervision is off. */
export interface Supervision
  extends Required<Omit<SupervisionOptions, "breaker" | "health" | "idleMs" | "checkMs" | "random">> {
  readonly restarts: boolean;
  readonly health: Required<HealthOptions> | undefined;
  readonly breaker: Required<BreakerOptions>;
  readonly idleMs: number | undefined;
  readonly checkMs: number | undefined;
  readonly random: () => number;
}

export function resolveSupervision(given: SupervisionOptions | false = {}): Supervision {
  const options = given === false ? {} : given;
  const { breaker = {}, health = {}, acquireMs = 30_000 } = options;
  return {
    restarts: given !== false,
    firstDelayMs: options.firstDelayMs ?? 250,
    maxDelayMs: options.maxDelayMs ?? 30_000,
    jitter: options.jitter ?? 0.5,
    breaker: {
      failures: breaker.failures ?? 5,
      withinMs: breaker.withinMs ?? 60_000,
      retryMs: breaker.retryMs ?? 30_000,
    },
    // Without restarts there is nothing to decide.
    health:
      given === false || health === false
        ? undefined
        : {
            missed: health.missed ?? 2,
            probeMs: health.probeMs ?? 10_000,
            rounds: health.rounds ?? 2,
          },
    idleMs: options.idleMs,
    lazy: options.lazy ?? false,
    checkMs: options.checkMs,
    checkTimeoutMs: options.checkTimeoutMs ?? 10_000,
    acquireMs,
    maxWaitMs: options.maxWaitMs ?? Math.max(50_000, acquireMs),
    noteMs: options.noteMs ?? 5000,
    drainMs: options.drainMs ?? 10_000,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}
