import { describeError } from "../../../core/index.ts";
import { isProtocolFault, type ProviderRequest, type ResourceProvider } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import { attempt } from "../request/attempt.ts";

/** One client that watches one resource. */
export interface Watching {
  /** Settles when the provider watches or refuses; absent if it watches already. After a refusal nothing is watched. */
  readonly ready: Promise<void> | undefined;
  /** Never throws, because it runs while connections close. */
  stop(): void;
}

/** One resource of one provider. Calls to the provider run one after the other, and each does what is then needed. */
class WatchedResource {
  watchers = 0;
  readonly #provider: ResourceProvider;
  readonly #uri: string;
  #isWatched = false;
  #running: Promise<void> | undefined;

  constructor(provider: ResourceProvider, uri: string) {
    this.#provider = provider;
    this.#uri = uri;
  }

  get isUnused(): boolean {
    return this.watchers === 0 && !this.#isWatched && !this.#running;
  }

  /** Watches or unwatches if that is due: now, or after the running call. Throws or rejects as the provider does. */
  settle(request?: ProviderRequest): Promise<void> | undefined {
    const begun = this.#running ? this.#running.then(() => this.#step(request)) : this.#step(request);
    if (!begun) return undefined;
    const done = (): void => {
      if (this.#running === running) this.#running = undefined;
    };
    const running: Promise<void> = begun.then(done, done);
    this.#running = running;
    return begun;
  }

  #step(request: ProviderRequest | undefined): Promise<void> | undefined {
    if (this.watchers > 0 && !this.#isWatched && request) {
      const watching = this.#provider.watch?.(this.#uri, request);
      if (watching) return watching.then(() => void (this.#isWatched = true));
      this.#isWatched = true;
    } else if (this.watchers === 0 && this.#isWatched) {
      this.#isWatched = false;
      return this.#provider.unwatch?.(this.#uri) ?? undefined;
    }
    return undefined;
  }
}

/** Counts the clients that watch each resource. The provider is called for the first and after the last one. */
export class ResourceWatchers {
  readonly #report: (message: string) => void;
  readonly #watched = new Map<ResourceProvider, Map<string, WatchedResource>>();

  constructor(report: (message: string) => void) {
    this.#report = report;
  }

  /** Adds one watcher. Throws if the provider throws; then nothing was added. */
  start(provider: ResourceProvider, uri: string, request: ProviderRequest): Watching {
    const resource = this.#resource(provider, uri);
    resource.watchers += 1;
    let isOver = false;
    const leave = (): void => {
      if (!isOver) resource.watchers -= 1;
      isOver = true;
    };
    const forget = (): void => this.#forget(provider, uri, resource);
    const refused = (thrown: unknown): never => {
      leave();
      forget();
      throw watchFailure(thrown);
    };
    try {
      return {
        ready: resource.settle(request)?.catch(refused),
        stop: () => {
          if (isOver) return;
          leave();
          attempt(() => resource.settle()?.finally(forget), this.#report);
          forget();
        },
      };
    } catch (thrown) {
      return refused(thrown);
    }
  }

  #resource(provider: ResourceProvider, uri: string): WatchedResource {
    const resources = this.#watched.get(provider) ?? new Map<string, WatchedResource>();
    this.#watched.set(provider, resources);
    const resource = resources.get(uri) ?? new WatchedResource(provider, uri);
    resources.set(uri, resource);
    return resource;
  }

  #forget(provider: ResourceProvider, uri: string, resource: WatchedResource): void {
    const resources = this.#watched.get(provider);
    if (!resource.isUnused || resources?.get(uri) !== resource) return;
    resources.delete(uri);
    if (resources.size === 0) this.#watched.delete(provider);
  }
}

/** An error of an upstream server, or of a provider that names a code, keeps its code. */
function watchFailure(thrown: unknown): RpcFailure {
  const {
    code,
    message: reason,
    data,
  } = (isProtocolFault(thrown) ? (thrown.rpc ?? {}) : (thrown ?? {})) as {
    readonly [member in "code" | "message" | "data"]?: unknown;
  };
  if (typeof code === "number" && typeof reason === "string") return new RpcFailure(code, reason, data);
  const message = `the provider cannot watch the resource: ${describeError(thrown)}`;
  return new RpcFailure(RpcCode.INTERNAL_ERROR, message);
}
