import { startTree } from "../../core/index.ts";
import { nextTurn } from "../../core/internal.ts";
import {
  type EndpointStatus,
  isSharedByAll,
  type RemoteTool,
  type ServerConfig,
  type ServerTimeouts,
  type TokenProvider,
  type ToolDefinition,
} from "../contract/index.ts";
import {
  createServerEndpoint,
  describeOptions,
  type EndpointOptions,
  type InjectedTransport,
  toolsFromDefinitions,
} from "../endpoint/index.ts";
import type { CheckedRow } from "./check-rows.ts";
import { type InstanceOwner, STANDARD_INSTANCES } from "./client-instances.ts";
import type { FleetFeed } from "./feed/fleet-feed.ts";
import { type FleetOptions, rulesFor, type Supervision } from "./fleet-options.ts";
import type { StartSettings } from "./starts/start-options.ts";
import type { StartPlan } from "./starts/start-plan.ts";
import { Supervisor } from "./supervisor.ts";
import type { SupervisorOptions } from "./supervisor-options.ts";

export interface FactoryOptions {
  readonly fleet: FleetOptions;
  readonly rules: Supervision;
  readonly starts: StartSettings;
  readonly plan: StartPlan;
  readonly feed: FleetFeed;
  /** For servers whose rows set no timeouts. */
  timeouts(): ServerTimeouts | undefined;
}

export interface MemberOptions {
  readonly after?: Promise<unknown> | undefined;
  readonly onTools: SupervisorOptions["onTools"];
  readonly onStatus: (status: EndpointStatus) => void;
}

type CommonOptions = Pick<SupervisorOptions, "config" | "plan" | "mint" | "process" | "onLogin"> & {
  readonly describe: (given: readonly ToolDefinition[]) => readonly RemoteTool[];
};

/** What an endpoint gets besides the fleet's options. */
interface EndpointParts {
  readonly tokens: TokenProvider | undefined;
  /** The only client that uses the connection. */
  readonly owner: string | undefined;
  /** Called with the id of its process. */
  readonly onProcess: (pid: number) => void;
}

/** Makes the supervisors of a fleet. */
export class SupervisorFactory {
  readonly #options: FactoryOptions;

  constructor(options: FactoryOptions) {
    this.#options = options;
  }

  /** The supervisor of a server of the configuration. */
  member({ config, fault }: CheckedRow, { after, onTools, onStatus }: MemberOptions): Supervisor {
    const { fleet, feed, rules } = this.#options;
    const { catalogueSeed, seedFor, onListed, onMute, toolReview, startKnownAfter } = fleet;
    const { describe, ...common } = fault ? this.#refused(config) : this.#common(config);
    const seed = fault ? undefined : catalogueSeed?.get(config.id);
    // A client that waits for these tools gets them before processes are started.
    const heldUntil = seed && !config.required ? (startKnownAfter ?? nextTurn().then(nextTurn)) : undefined;
    return new Supervisor({
      ...common,
      fault,
      review: toolReview && { by: toolReview, describe: (tool) => describe([tool])[0] },
      // If clients have their own instances, this one only lists the tools.
      rules: isSharedByAll(config) ? rulesFor(config, rules) : { ...this.#instanceRules(config), lazy: true },
      feed: isSharedByAll(config) ? feed.addShared(config.id) : feed.add(config.id),
      seed: seed && describe(seed),
      seedFor:
        seedFor &&
        ((extensions) => {
          const known = seedFor(config, extensions);
          return known && { ...known, tools: known.tools && describe(known.tools) };
        }),
      onListed: async (endpoint, extensions) => {
        await onListed?.(endpoint, extensions);
      },
      onMute: onMute && (() => onMute(config.id)),
      onTools,
      onStatus,
      after,
      heldUntil,
    });
  }

  /** An instance for one client or principal, started by its first call. `onUnused` is called when it has stopped. */
  instance(config: ServerConfig, owner: InstanceOwner, onUnused: () => void): Supervisor {
    const { describe: _, ...common } = this.#common(config, owner.client);
    return new Supervisor({
      ...common,
      rules: this.#instanceRules(config),
      feed: this.#options.feed.add(config.id, owner.client),
      onTools: () => {},
      onStatus: ({ state }) => {
        if (state === "dormant") onUnused();
      },
    });
  }

  #instanceRules(config: ServerConfig): Supervision {
    const { rules, fleet } = this.#options;
    const own = rulesFor(config, rules);
    return {
      ...own,
      idleMs: config.idleMs ?? fleet.instances?.idleMs ?? own.idleMs ?? STANDARD_INSTANCES.idleMs,
    };
  }

  #common(config: ServerConfig, owner?: string): CommonOptions {
    const { plan, fleet } = this.#options;
    const tokens = this.#tokensFor(config);
    let pid: number | undefined;
    return {
      config,
      plan,
      process: () => pid,
      mint: () => {
        pid = undefined;
        const onProcess = (started: number): void => void (pid = started);
        const options = this.#endpointOptions(config, { tokens, owner, onProcess });
        const { sharing } = fleet;
        if (sharing && owner === undefined && isSharedByAll(config))
          return sharing.pool.endpoint(config, sharing, { endpoint: options, onProcess });
        return createServerEndpoint(config, transportFor(config, fleet.transport), options);
      },
      describe: (given) =>
        toolsFromDefinitions(
          given,
          describeOptions(config, { ...fleet, ...fleet.endpointOptions?.(config) }),
        ),
      onLogin: tokens?.onLogin?.bind(tokens),
    };
  }

  /** An invalid row is not passed to the callbacks in the fleet's options. */
  #refused(config: ServerConfig): CommonOptions {
    return {
      config,
      plan: this.#options.plan,
      mint: () => createServerEndpoint(config),
      describe: () => [],
    };
  }

  /** Only a server behind HTTP can receive a token, and only its own. */
  #tokensFor(config: ServerConfig): TokenProvider | undefined {
    if (config.kind === "stdio") return undefined;
    const { auth, endpointOptions } = this.#options.fleet;
    return endpointOptions?.(config).auth ?? auth?.(config);
  }

  /** The options of a server's next endpoint. A first start that can install a package gets more time to connect. */
  #endpointOptions(config: ServerConfig, { tokens, owner, onProcess }: EndpointParts): EndpointOptions {
    const { fleet, feed, plan, starts } = this.#options;
    const { transport: _, auth: _perServer, sharing: _pool, endpointOptions, ...shared } = fleet;
    const own = endpointOptions?.(config);
    const options: EndpointOptions = {
      ...shared,
      wantsLogs: shared.wantsLogs ?? (shared.onLog ?? own?.onLog) !== undefined,
      ...(tokens ? { auth: tokens } : {}),
      ...own,
      // A listener for one server does not replace those for all.
      onLog: (...log) => {
        shared.onLog?.(...log);
        own?.onLog?.(...log);
        feed.log(...log);
      },
    };
    const timeouts = options.timeouts ?? this.#options.timeouts();
    const installs = plan.installs(config) !== undefined;
    const start = options.stdio?.startTree ?? startTree;
    return {
      ...options,
      timeouts: installs
        ? { ...timeouts, connectMs: Math.max(starts.installMs, timeouts?.connectMs ?? 0) }
        : { ...timeouts },
      stdio: {
        ...options.stdio,
        startTree: async (...launch) => {
          const tree = await start(...launch);
          onProcess(tree.pid);
          return tree;
        },
      },
      ...(owner === undefined ? {} : { owner }),
    };
  }
}

/** If the factory throws, returns a transport that fails to start: only this server fails. */
function transportFor(
  config: ServerConfig,
  create: FleetOptions["transport"],
): InjectedTransport | undefined {
  try {
    return create?.(config);
  } catch (thrown) {
    const refuse = async (): Promise<never> => {
      throw thrown;
    };
    return { start: refuse, send: refuse, close: async () => {} };
  }
}
