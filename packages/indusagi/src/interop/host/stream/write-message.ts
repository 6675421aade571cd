import type { ServerResponse } from "node:http";
import { isPlain } from "../request/sendable.ts";
import { isLarge, jsonPieces } from "./json-pieces.ts";
import { type Piece, ResponseWriter, type Written } from "./response-writer.ts";
import { followStalls } from "./slow-client.ts";

/** The head of a stream of events. */
export const EVENT_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

/** The text of a message between two others. `pieces`: its text, if it is known. Throws if JSON cannot hold the message. */
export function writeMessage(
  message: object,
  { before = "", after = "", pieces }: WriteOptions = {},
): Written {
  if (pieces?.length === 1 && typeof pieces[0] === "string") return `${before}${pieces[0]}${after}`;
  if (pieces) return between(before, pieces, after);
  if (isLarge(message) && isPlain(message)) return between(before, jsonPieces(message), after);
  return `${before}${JSON.stringify(message)}${after}`;
}

export interface WriteOptions {
  readonly before?: string;
  readonly after?: string;
  readonly pieces?: readonly Piece[] | undefined;
}

function* between(before: string, pieces: Iterable<Piece>, after: string): Generator<Piece, void> {
  if (before !== "") yield before;
  yield* pieces;
  if (after !== "") yield after;
}

export interface JsonBody {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string } | undefined;
  readonly body: Written;
  /** The length of the body in bytes, if that is known. */
  readonly bytes?: number | undefined;
  /** After this long without a read the client is treated as gone. */
  readonly stalledMs: number;
}

/** Answers with one JSON text. */
export function sendJson(
  out: ServerResponse,
  { status = 200, headers, body, bytes, stalledMs }: JsonBody,
): void {
  const head: { [name: string]: string | number } = { "content-type": "application/json", ...headers };
  if (typeof body === "string") {
    head["content-length"] = Buffer.byteLength(body);
    // The text, not its bytes: Node then sends it together with the head.
    out.writeHead(status, head).end(body);
    // Most answers have left already, and need no timer.
    if (out.writableLength > 0) followStalls(out, stalledMs);
    return;
  }
  if (bytes !== undefined) head["content-length"] = bytes;
  out.writeHead(status, head);
  const writer = new ResponseWriter(out);
  writer.write(body);
  writer.end();
  followStalls(out, stalledMs);
}

/** The length of a text in pieces. */
export function bytesOf(pieces: readonly Piece[] | undefined): number | undefined {
  return pieces?.reduce(
    (sum, piece) => sum + (typeof piece === "string" ? Buffer.byteLength(piece) : piece.length),
    0,
  );
}
