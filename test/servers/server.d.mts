import type { IncomingMessage } from "node:http";

export interface ScriptedServerOptions {
  readonly era?: "legacy" | "modern" | "both";
  readonly mute?: boolean;
  readonly pages?: number;
  readonly manyTools?: number;
  readonly repeatCursor?: boolean;
  readonly malformed?: boolean;
  /** Answers and progress repeat the ids of the client as text. */
  readonly textIds?: boolean;
}
export function createServer(
  send: (message: never) => void,
  options?: ScriptedServerOptions,
): (message: unknown) => void;
export const BLOCKS: { readonly content: readonly unknown[]; readonly [member: string]: unknown };
export interface ScriptedHttpServer {
  readonly url: string;
  /** Every request so far, as `METHOD /path`. */
  readonly seen: readonly string[];
  forgetSessions(): void;
  close(): Promise<void>;
}
export interface HttpRefusal {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
}
export function serveHttp(
  options?: ScriptedServerOptions & {
    readonly token?: string;
    readonly redirectTo?: string;
    /** The HTTP status of JSON-RPC errors. */
    readonly errorStatus?: number;
    /** Returns the answer to a request that is refused. */
    readonly admit?: (request: IncomingMessage) => HttpRefusal | undefined;
  },
): Promise<ScriptedHttpServer>;
