import type { ProtocolFault } from "./fault.ts";

/** A JSON-RPC message, with the members that a connection uses. */
export interface RpcMessage {
  readonly jsonrpc: "2.0";
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly [member: string]: unknown };
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface SendOptions {
  /** Headers for this message only, on transports that have headers. */
  readonly headers?: { readonly [name: string]: string };
  /** Aborts the request that carries this message, on transports with one request per message. */
  readonly requestSignal?: AbortSignal;
  /** Called when the stream opened by this message has ended, on transports with one stream per message. */
  readonly onRequestStreamEnd?: () => void;
}

/** Exchanges messages with a peer. Any transport of the MCP SDK fits. */
export interface MessageTransport {
  start(): Promise<void>;
  send(message: RpcMessage, options?: SendOptions): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: RpcMessage, extra?: unknown) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  /** True if each request has its own stream; ending the stream cancels the request. */
  readonly hasPerRequestStream?: boolean;
  sessionId?: string | undefined;
  setProtocolVersion?: ((version: string) => void) | undefined;
  /** Why the connection ended, if the transport knows. */
  endedBy?: ProtocolFault | undefined;
}

/**
 * Traffic between us and a server, for a log. Contains neither secrets of the server's row nor arguments and results of
 * calls, which are the user's data.
 */
export type WireEvent =
  | {
      readonly kind: "stderr";
      /** One line of standard error, shortened if it is very long. */
      readonly line: string;
    }
  | WireMessage
  | {
      readonly kind: "dropped";
      /** How many events were dropped before this one because they came too fast. */
      readonly count: number;
    };

/** One message, in brief. */
export interface WireMessage {
  readonly kind: "sent" | "received";
  readonly id?: string | number;
  /** The method of a request or notification; for an answer, that of its request. */
  readonly method?: string;
  readonly isAnswer?: boolean;
  /** The tool, prompt or resource that the request names. */
  readonly target?: string;
  /** For an answer: milliseconds since its request. */
  readonly ms?: number;
  readonly error?: { readonly code: number; readonly message: string };
  /** A short summary of an answer or a log message. */
  readonly note?: string;
}

/** Log messages of a server. */
export const LOG_METHOD = "notifications/message";

/** Members of `_meta` that the protocol reserves. */
export const MetaKey = {
  PROTOCOL_VERSION: "io.modelcontextprotocol/protocolVersion",
  CLIENT_INFO: "io.modelcontextprotocol/clientInfo",
  CLIENT_CAPABILITIES: "io.modelcontextprotocol/clientCapabilities",
  SERVER_INFO: "io.modelcontextprotocol/serverInfo",
  LOG_LEVEL: "io.modelcontextprotocol/logLevel",
  SUBSCRIPTION_ID: "io.modelcontextprotocol/subscriptionId",
} as const;
