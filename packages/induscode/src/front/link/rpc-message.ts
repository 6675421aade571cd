import { closestNames, isRecord } from "indusagi/core";

/** A request of the driving program. A notification has no id and gets no answer. */
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

/** The codes of JSON-RPC, and one of our own: the session refused or failed. */
export const LinkCode = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  session: -32000,
} as const;

/** What a line holds: a request, or an error with the id to answer to, as far as it can be read. */
export type ParsedLine = LinkRequest | { readonly error: LinkError; readonly id: string | number | null };

/** Reads one line. Never throws. */
export function parseLine(line: string): ParsedLine {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return { error: new LinkError(LinkCode.parse, "the line is not JSON"), id: null };
  }
  const { jsonrpc, id, method, params } = Object(message) as { readonly [member: string]: unknown };
  const known = typeof id === "string" || typeof id === "number" ? id : null;
  const wrong = (problem: string): ParsedLine => ({
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

/** The error for a method that does not exist, with the one that was probably meant. */
export async function unknownMethod(method: string, known: readonly string[]): Promise<LinkError> {
  const [closest] = await closestNames(method, known);
  const hint = closest === undefined ? `the methods are ${known.join(", ")}` : `did you mean ${closest}?`;
  return new LinkError(LinkCode.method, `there is no method ${JSON.stringify(method)}; ${hint}`);
}
