import type { Caller } from "../../runtime/index.ts";
import { withoutRelatedTask } from "../content/index.ts";
import type {
  ClientFeed,
  CompletionRequest,
  Extensions,
  HostClient,
  HostProviders,
  ProviderRequest,
  ProviderSource,
  RawResult,
  ResourceProvider,
  ServerFleet,
  SkillProvider,
  TaskProvider,
} from "../contract/index.ts";
import type { ResourceRef } from "../naming/index.ts";
import { hasConnection } from "./names/session-links.ts";
import { isInScope, type RelayScope } from "./provide/relay-scope.ts";

export interface ClientProvidersOptions {
  readonly fleet: ServerFleet;
  readonly scope: RelayScope;
  /** What all clients are offered. */
  readonly shared: Omit<HostProviders, "complete"> & { readonly resources: ResourceProvider };
  /** Offered to clients that can use it. */
  readonly complete: (completion: CompletionRequest, request: ProviderRequest) => Promise<RawResult>;
  /** The skills that a client is offered, if it is. */
  readonly skillsOf: (caller: Caller) => SkillProvider | undefined;
  /** Whether one of the servers that a client sees may complete arguments. */
  readonly completes: (caller: Caller) => boolean;
  /** The extensions of the servers that a client sees. */
  readonly extensions: (caller: Caller) => Extensions | undefined;
  /** Answers requests of extensions that are only passed on. Undefined if no server gets a method. */
  readonly forward: (
    method: string,
    params: RawResult,
    request: ProviderRequest,
  ) => Promise<RawResult> | undefined;
  readonly tasks: TaskProvider;
  /** Finds the server of a URI. */
  readonly locate: (uri: string, request: ProviderRequest) => Promise<ResourceRef>;
}

/**
 * Providers for each client. A client with a connection has its own watches, because a server may run for it alone. Clients
 * without one share their watches by principal: otherwise each request would count as another client.
 */
export function clientProviders(options: ClientProvidersOptions): ProviderSource {
  const { fleet, scope, shared, complete, completes, extensions, skillsOf, tasks, forward, locate } = options;
  const watched = (): ResourceProvider => ({ ...shared.resources, ...resourceUpdates(fleet, locate) });
  const byPrincipal = new Map<string, ResourceProvider>();
  const ofPrincipal = ({ principal = "" }: HostClient): ResourceProvider => {
    const known = byPrincipal.get(principal) ?? watched();
    byPrincipal.set(principal, known);
    return known;
  };
  return (client) => {
    const caller = outsideCaller(client);
    const skills = skillsOf(caller);
    return {
      ...shared,
      ...(completes(caller) && { complete }),
      ...(skills && { skills }),
      extensions: extensions(caller),
      forward,
      tasks,
      resources: hasConnection(client) ? watched() : ofPrincipal(client),
      feed: clientFeed(fleet, client, { keeps: (server) => isInScope(scope, server, caller), tasks }),
    };
  };
}

/** The caller for what happens outside of a client's requests. */
function outsideCaller(client: HostClient): Caller {
  return { ...client, can: {} };
}

const UPDATED = "notifications/resources/updated";

interface Watched extends ResourceRef {
  readonly client: string;
  readonly release: () => Promise<void>;
}

/**
 * Watches resources of a fleet for the clients of a host. Updates have the URI under which a client watches the resource.
 * `locate` finds the server of a URI, and rejects with the answer for the client if there is none.
 */
function resourceUpdates(
  fleet: ServerFleet,
  locate: (uri: string, request: ProviderRequest) => Promise<ResourceRef>,
): Required<Pick<ResourceProvider, "watch" | "unwatch" | "onUpdated">> {
  const watched = new Map<string, Watched>();
  return {
    watch: async (uri, request) => {
      const { server, uri: own } = await locate(uri, request);
      const { caller, signal } = request;
      const release = await fleet.watchResource(server, own, { caller, signal });
      watched.set(uri, { server, uri: own, client: caller.key, release });
    },
    unwatch: async (uri) => {
      const entry = watched.get(uri);
      watched.delete(uri);
      await entry?.release();
    },
    onUpdated: (listener) =>
      fleet.onNotification(({ server, client, notification: { method, params } }) => {
        if (method !== UPDATED) return;
        for (const [shown, entry] of watched) {
          const isSame = entry.server === server && entry.uri === params?.["uri"];
          if (isSame && (client ?? entry.client) === entry.client) listener(shown);
        }
      }),
  };
}

const COMPLETED = "notifications/elicitation/complete";
const TASK_STATUS = "notifications/tasks/status";

interface FeedOptions {
  /** The servers that the client sees. */
  readonly keeps: (server: string) => boolean;
  readonly tasks: TaskProvider;
}

/** What one client of a host gets from the servers of a fleet outside of its calls. */
function clientFeed(fleet: ServerFleet, client: HostClient, { keeps, tasks }: FeedOptions): ClientFeed {
  const { key } = client;
  return {
    setLevel: (level) => fleet.setLogLevel(key, level),
    onLog: (listener) =>
      fleet.onLog(({ server, entry, audience }) => {
        const isForClient = audience.kind === "client" ? audience.key === key : audience.kind === "all";
        if (isForClient && keeps(server)) listener(entry);
      }),
    onNotification: (listener) =>
      fleet.onNotification(({ server, notification, client: owner = key }) => {
        const { method, params = {} } = notification;
        if ((method !== COMPLETED && method !== TASK_STATUS) || owner !== key || !keeps(server)) return;
        // The host knows whether this client was asked, and which tasks are its own: the id is sealed for this principal.
        if (method === COMPLETED) return listener(notification);
        const id = params["taskId"];
        if (typeof id !== "string") return;
        const taskId = tasks.handleOf({ server, id }, outsideCaller(client));
        listener({ method, params: { ...withoutRelatedTask(params), taskId } });
      }),
  };
}
