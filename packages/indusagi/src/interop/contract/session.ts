import type { Caller, ProgressNote } from "../../runtime/index.ts";

/** The two ways of speaking MCP: with the initialize handshake, or, since 2026-07-28, without sessions. */
export type ProtocolEra = "legacy" | "modern";

export interface SessionRequestOptions {
  readonly signal?: AbortSignal;
  /** Until the answer, started anew by every progress note. */
  readonly timeoutMs?: number;
  /** Until the answer, whatever the progress. */
  readonly totalMs?: number;
  /** On whose behalf: questions of the server go to it. */
  readonly caller?: Caller;
  readonly onProgress?: (note: ProgressNote) => void;
}

export interface SessionNotification {
  readonly method: string;
  readonly params?: { readonly [member: string]: unknown };
}

/**
 * An open connection, raw: results come as received, and a JSON-RPC error is a fault with its `rpc`.
 * The one door for everything that is not a tool listing or a tool call.
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
  /** Hears every notification of the server. Returns the way to stop listening. */
  onNotification(listener: (notification: SessionNotification) => void): () => void;
}
