import { describeError } from "../../../core/index.ts";
import type { ResourceProvider } from "../../contract/index.ts";
import { RpcCode } from "../../wire/index.ts";
import { attempt } from "../request/attempt.ts";
import { RpcFailure } from "../request/rpc-failure.ts";

/** Counts the clients that watch each resource. The provider is called for the first one and after the last one. */
export class ResourceWatchers {
  readonly #provider: ResourceProvider | undefined;
  readonly #report: (message: string) => void;
  readonly #watchers = new Map<string, number>();

  constructor(provider: ResourceProvider | undefined, report: (message: string) => void) {
    this.#provider = provider;
    this.#report = report;
  }

  /** Adds one watcher. Throws if the provider throws; then nothing was added. */
  start(uri: string): void {
    const watchers = this.#watchers.get(uri) ?? 0;
    if (watchers === 0) this.#begin(uri);
    this.#watchers.set(uri, watchers + 1);
  }

  /** Removes one watcher. Never throws, because it runs while connections close. */
  stop(uri: string): void {
    const watchers = this.#watchers.get(uri) ?? 0;
    if (watchers > 1) return void this.#watchers.set(uri, watchers - 1);
    if (this.#watchers.delete(uri)) attempt(() => this.#provider?.unwatch?.(uri), this.#report);
  }

  #begin(uri: string): void {
    try {
      const watching: unknown = this.#provider?.watch?.(uri);
      // The contract's type also fits an `async` method: its failure is reported.
      attempt(() => watching, this.#report);
    } catch (thrown) {
      throw new RpcFailure(
        RpcCode.INTERNAL_ERROR,
        `the provider cannot watch the resource: ${describeError(thrown)}`,
      );
    }
  }
}
