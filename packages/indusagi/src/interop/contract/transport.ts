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
}
