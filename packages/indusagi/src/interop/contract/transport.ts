/** A JSON-RPC message, as far as a connection needs to know it. */
export interface RpcMessage {
  readonly jsonrpc: "2.0";
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly [member: string]: unknown };
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface SendOptions {
  /** Headers for this message alone, on transports that have headers. */
  readonly headers?: { readonly [name: string]: string };
  /** Ends the one request this message opens, on transports that open one a message. */
  readonly requestSignal?: AbortSignal;
  /** Hears that the one stream this message opened is over, on transports that open one a message. */
  readonly onRequestStreamEnd?: () => void;
}

/** A way to exchange messages with a server. Any transport of the MCP SDK is one. */
export interface MessageTransport {
  start(): Promise<void>;
  send(message: RpcMessage, options?: SendOptions): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: RpcMessage, extra?: unknown) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  /** Each request has a stream of its own, whose end cancels it. */
  readonly hasPerRequestStream?: boolean;
  sessionId?: string | undefined;
  setProtocolVersion?: ((version: string) => void) | undefined;
}
