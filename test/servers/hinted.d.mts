import type { CacheHint } from "indusagi/interop";

export interface HintedServerOptions {
  readonly era?: "legacy" | "modern";
  /** Whether it declares and reports changes of its lists. Default true. */
  readonly announces?: boolean;
  /** What its answers state in the modern era. Default: nothing may be cached. */
  readonly hint?: CacheHint;
  /** The hint of each page of a list. Default: one page with `hint`. */
  readonly pages?: readonly CacheHint[];
  /** Each answer is made, and then waits for this. */
  readonly before?: (method: string) => Promise<void>;
}
/** Returns the function that receives messages. */
export function createHintedServer(
  send: (message: never) => void,
  options?: HintedServerOptions,
): (message: unknown) => void;
