import type { LogLevel } from "../../../runtime/index.ts";

type Members = { readonly [member: string]: unknown };

/**
 * What serving a request needs of the protocol layer: the request, and ways to reach its client. The SDK's context has it, and so has
 * a request on the lane (`LaneRequest`), so both are served by the same functions.
 */
export interface RequestContext {
  readonly mcpReq: {
    readonly id: string | number;
    readonly method: string;
    /** Without the keys of the modern era, which are in `envelope`. */
    readonly _meta?: (Members & { readonly progressToken?: string | number | undefined }) | undefined;
    /** What a modern request says about its client. */
    readonly envelope?: Members | undefined;
    readonly inputResponses?: Members | undefined;
    /** Whether the answer may be a result that is not parsed, see `receivedResult`. */
    readonly takesBytes?: boolean;
    readonly signal: AbortSignal;
    /** Listens for the abort without a signal. Absent: only the signal tells. */
    onAbort?(listener: (reason: unknown) => void): () => void;
    /** The state that a modern client returned, unsealed. */
    requestState(): unknown;
    /** Asks the client of a legacy connection. */
    send(
      request: { method: string; params?: { [member: string]: unknown } },
      schema: typeof AS_RECEIVED,
      options?: { readonly signal?: AbortSignal; readonly timeout?: number },
    ): Promise<unknown>;
    notify(notification: { method: string; params?: { [member: string]: unknown } }): Promise<void>;
    log(level: LogLevel, data: unknown, logger?: string): Promise<void>;
  };
  readonly http?: { readonly closeSSE?: (() => void) | undefined } | undefined;
}

/** A schema for the SDK that accepts everything and copies nothing. */
export const AS_RECEIVED = {
  "~standard": {
    version: 1,
    vendor: "indusagi",
    validate: (value: unknown): { readonly value: unknown } => ({ value }),
  },
} as const;
