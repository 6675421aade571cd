export interface LiveServerOptions {
  readonly era?: "legacy" | "modern";
  readonly name?: string;
  /** Asks for the roots as soon as it is initialized, outside of any call. */
  readonly rootsAtStart?: boolean;
}
/** Returns the function that receives messages. */
export function createLiveServer(
  send: (message: never) => void,
  options?: LiveServerOptions,
): (message: unknown) => void;
