import type { IncomingMessage, ServerResponse } from "node:http";

export interface EvilHttpOptions {
  readonly era?: "legacy" | "modern";
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Leaves `seen` and `runs` empty, for whoever measures memory. */
  readonly keepsNoRecord?: boolean;
  /** Answers everything by itself. */
  readonly instead?: (request: IncomingMessage, response: ServerResponse) => void;
}
export interface EvilHttpServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Every request so far, as `METHOD /path`. */
  readonly seen: readonly string[];
  /** What calls were made to do, in order: a call that was sent twice is here twice. */
  readonly runs: readonly string[];
}
export function serveEvilHttp(options?: EvilHttpOptions): Promise<EvilHttpServer>;
