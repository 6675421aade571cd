import type { Caller, ProgressNote } from "../../runtime/index.ts";
import type { Extensions } from "./extensions.ts";

/** The two forms of MCP: with the initialize handshake, or (since 2026-07-28) without sessions. */
export type ProtocolEra = "legacy" | "modern";

export interface SessionRequestOptions {
  readonly signal?: AbortSignal;
  /** Time limit for the answer; each progress notification restarts it. */
  readonly timeoutMs?: number;
  /** Total time limit for the answer, regardless of progress. */
  readonly totalMs?: number;
  /** The caller that this request is made for. It gets the server's questions. */
  readonly caller?: Caller;
  /** Declared to a modern server for this request, if there is no caller. Default: none. */
  readonly extensions?: Extensions | undefined;
  readonly onProgress?: (note: ProgressNote, token?: number) => void;
}

export interface SessionNotification {
  readonly method: string;
  readonly params?: { readonly [member: string]: unknown };
}

/**
 * An open connection, raw: results are as received, and a JSON-RPC error is a fault with `rpc`. Used for everything
 * except listing and calling tools.
 */
export interface ServerSession {
  readonly era: ProtocolEra;
  readonly protocolVersion: string;
  readonly serverInfo: {
    readonly name?: string;
    readonly version?: string;
    readonly [member: string]: unknown;
  };
  readonly capabilities: { readonly [capability: string]: unknown };
  readonly instructions?: string;
  request(
    method: string,
    params?: { readonly [member: string]: unknown },
    options?: SessionRequestOptions,
  ): Promise<unknown>;
  notify(method: string, params?: { readonly [member: string]: unknown }): Promise<void>;
  /** Calls the listener for each notification from the server. Returns a function that removes the listener. */
  onNotification(listener: (notification: SessionNotification) => void): () => void;
}
