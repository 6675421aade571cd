import { describeError } from "../../../core/index.ts";
import type { ResourceProvider } from "../../contract/index.ts";
import { RpcCode } from "../../wire/index.ts";
import { attempt } from "../request/attempt.ts";
import { RpcFailure } from "../request/rpc-failure.ts";

/** What the clients of a host watch, all together: the provider hears of the first who starts and the last who stops. */
export class ResourceWatchers {
  readonly #provider: ResourceProvider | undefined;
  readonly #report: (message: string) => void;
  readonly #watchers = new Map<string, number>();

  constructor(provider: ResourceProvider | undefined, report: (message: string) => void) {
    this.#provider = provider;
    this.#report = report;
  }

  /** One more watches. Throws when the provider does, and then it is as if nobody had asked. */
  start(uri: string): void {
    const watchers = this.#watchers.get(uri) ?? 0;
    if (watchers === 0) this.#begin(uri);
    this.#watchers.set(uri, watchers + 1);
  }

  /** One who started has stopped. Never throws: it happens while connections are closed. */
  stop(uri: string): void {
    const watchers = this.#watchers.get(uri) ?? 0;
    if (watchers > 1) return void this.#watchers.set(uri, watchers - 1);
    if (this.#watchers.delete(uri)) attempt(() => this.#provider?.unwatch?.(uri), this.#report);
  }

  #begin(uri: string): void {
    try {
      const watching: unknown = this.#provider?.watch?.(uri);
      // An `async` method fits the contract's type: nobody waits for it, but its failure must not be lost.
      attempt(() => watching, this.#report);
    } catch (thrown) {
      throw new RpcFailure(
        RpcCode.INTERNAL_ERROR,
        `the resource cannot be watched: ${describeError(thrown)}`,
      );
    }
  }
}
