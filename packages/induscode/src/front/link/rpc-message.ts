import { closestNames, isRecord } from "indusagi/core";

/** A request from the driving program. A notification has no id and gets no response. */
export interface LinkRequest {
  readonly id?: string | number;
  readonly method: string;
  readonly params: { readonly [name: string]: unknown };
}

/** An error as JSON-RPC sends it. */
export class LinkError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The JSON-RPC codes, and our own for a refusal or failure of the session. */
export const LinkCode = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  session: -32000,
} as const;

/** A request, or an error with the id to respond to, if it could be read. */
export type ParsedRequest = LinkRequest | { readonly error: LinkError; readonly id: string | number | null };

/** Parses one line. Never throws. */
export function parseRequest(line: string): ParsedRequest {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return { error: new LinkError(LinkCode.parse, "the line is not JSON"), id: null };
  }
  const { jsonrpc, id, method, params } = Object(message) as { readonly [member: string]: unknown };
  const known = typeof id === "string" || typeof id === "number" ? id : null;
  const wrong = (problem: string): ParsedRequest => ({
    error: new LinkError(LinkCode.request, problem),
    id: known,
  });
  if (Array.isArray(message)) return wrong("batches are not supported: send one request per line");
  if (typeof message !== "object" || message === null) return wrong("a request must be a JSON object");
  if (jsonrpc !== "2.0") return wrong('"jsonrpc" must be "2.0"');
  if (id !== undefined && known === null) return wrong('"id" must be a string or a number');
  if (typeof method !== "string") return wrong('"method" must be a string');
  if (params !== undefined && !isRecord(params)) return wrong('"params" must be an object');
  return {
    ...(known !== null && { id: known }),
    method,
    params: params ?? {},
  };
}

/** The error for an unknown method, with the closest known one. */
export async function unknownMethod(method: string, known: readonly string[]): Promise<LinkError> {
  const [closest] = await closestNames(method, known);
  const hint = closest === undefined ? `the methods are ${known.join(", ")}` : `did you mean ${closest}?`;
  return new LinkError(LinkCode.method, `there is no method ${JSON.stringify(method)}; ${hint}`);
}
