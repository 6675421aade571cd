export interface VariedServerOptions {
  /** Whether it declares the extension that its lists depend on. Default true. */
  readonly declares?: boolean;
  /** Whether it has skills, too. Default false. */
  readonly skills?: boolean;
  /** Whether all clients get the same tools nevertheless. Default: false. */
  readonly same?: boolean;
}
/** Returns the function that receives messages and answers them by `send`. */
export function createVariedServer(
  options?: VariedServerOptions,
): (message: unknown, send: (message: never) => void) => void;
