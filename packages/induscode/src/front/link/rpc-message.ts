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
type ParsedRequest = LinkRequest | { readonly error: LinkError; readonly id: string | number | null };

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

/** A longer line would fill memory. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/**
 * The lines of a stream, without empty ones. For a line that is too long, yields an error as soon as that is known, and skips
 * the rest of it.
 */
export async function* readLinkLines(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number = MAX_LINE_BYTES,
): AsyncGenerator<string | LinkError, void> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    for (let from = 0; from <= chunk.length; ) {
      const end = chunk.indexOf(10, from);
      const part = chunk.subarray(from, end === -1 ? chunk.length : end);
      from += part.length + 1;
      const isNews = size <= maxBytes;
      size += part.length;
      if (size <= maxBytes) parts.push(part);
      else {
        parts = [];
        if (isNews) yield tooLong(maxBytes);
      }
      if (end === -1) break;
      const line = textOf(parts);
      parts = [];
      size = 0;
      if (line !== "") yield line;
    }
  }
  const last = textOf(parts);
  if (last !== "") yield last;
}

function tooLong(maxBytes: number): LinkError {
  return new LinkError(LinkCode.parse, `the line is longer than ${maxBytes} bytes, and was not read`);
}

function textOf(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString("utf8").trim();
}
