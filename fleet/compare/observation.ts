/** What was seen of one server in one way: its tools, and the answer to its harmless call. */
export interface Observation {
  /** The definitions as received, under the server's own names. */
  readonly tools: readonly ToolDefinition[];
  /** Absent if the list has no call for this server. */
  readonly answer?: CallAnswer;
  /** From the start until the tools were listed, in milliseconds. */
  readonly readyMs: number;
  /** The memory of the server's processes. Absent where it was not measured. */
  readonly memoryMb?: number;
  /** Why the official client itself refuses the listing. The raw definitions are compared in spite of it. */
  readonly refusal?: string;
}

/** The server could not be used in this way. */
export interface Failure {
  readonly failure: string;
}

export type Observed = Observation | Failure;

export interface ToolDefinition {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** The result of a call as received, or the server's JSON-RPC error, or why there is neither. */
export type CallAnswer =
  | { readonly result: unknown }
  | { readonly error: RpcError }
  | { readonly failure: string };

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** An error with its members in one order. */
export function plainError({ code, message, data }: RpcError): RpcError {
  return { code, message, ...(data === undefined ? {} : { data }) };
}

export function isFailure(observed: Observed): observed is Failure {
  return "failure" in observed;
}
