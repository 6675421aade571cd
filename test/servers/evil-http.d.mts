import type { IncomingMessage, ServerResponse } from "node:http";

export interface EvilHttpOptions {
  readonly era?: "legacy" | "modern";
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Keeps `seen` and `runs` empty, for tests that measure memory. */
  readonly keepsNoRecord?: boolean;
  /** Replaces the request handler. */
  readonly instead?: (request: IncomingMessage, response: ServerResponse) => void;
}
export interface EvilHttpServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Every request so far, as `METHOD /path`. */
  readonly seen: readonly string[];
  /** The action of each call, in order. A call that was sent twice appears twice. */
  readonly runs: readonly string[];
}
export function serveEvilHttp(options?: EvilHttpOptions): Promise<EvilHttpServer>;
