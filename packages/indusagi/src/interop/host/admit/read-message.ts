import type { IncomingMessage } from "node:http";
import { RpcCode } from "../../wire/index.ts";
import type { HttpLimits } from "../http/http-options.ts";
import { jsonTextProblem } from "../request/json-budget.ts";
import type { Refusal } from "./refusal.ts";

/** A request's body, parsed once for all its readers; or why it was refused. */
export type ReadMessage = { readonly body: unknown } | { readonly refusal: Refusal };

/** Reads one JSON body within the limits. A body that is too large or too complex is refused before it is parsed. */
export async function readMessage(request: IncomingMessage, limits: HttpLimits): Promise<ReadMessage> {
  const { "content-type": type, "content-encoding": encoding, "content-length": length } = request.headers;
  if (!/^application\/json(?:\s*;|$)/i.test(type ?? ""))
    return refused(415, RpcCode.REFUSED, "Unsupported Media Type: Content-Type must be application/json");
  if (encoding !== undefined && encoding !== "identity")
    return refused(
      415,
      RpcCode.REFUSED,
      `Unsupported Media Type: Content-Encoding ${encoding} is not supported; send the body uncompressed`,
    );
  if (Number(length) > limits.bodyBytes) return tooLarge(limits);
  const bytes = await readBytes(request, limits.bodyBytes);
  if (!bytes) return tooLarge(limits);
  const problem = jsonTextProblem(bytes, limits.json);
  if (problem !== undefined) return refused(400, RpcCode.INVALID_REQUEST, `Invalid Request: ${problem}`);
  let body: unknown;
  try {
    const text = bytes.toString("utf8");
    // Some clients send a byte order mark.
    body = JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch {
    return refused(400, RpcCode.PARSE_ERROR, "Parse error: the request body is not valid JSON");
  }
  if (typeof body !== "object" || body === null)
    return refused(400, RpcCode.INVALID_REQUEST, "Invalid Request: the request body is not a message");
  if (Array.isArray(body) && body.length > limits.batch)
    return refused(
      400,
      RpcCode.INVALID_REQUEST,
      `Invalid Request: more than ${limits.batch} messages in one body`,
    );
  return { body };
}

/**
 * The whole body; `undefined` as soon as it exceeds the limit. Event listeners cost a third of async iteration here.
 */
function readBytes(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= most) return void chunks.push(chunk);
      request.pause();
      resolve(undefined);
    });
    request.once("end", () => {
      const [only] = chunks;
      resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks));
    });
    request.once("error", reject);
    request.once("close", () => request.readableEnded || reject(new Error("the client disconnected")));
  });
}

function tooLarge({ bodyBytes }: HttpLimits): ReadMessage {
  const message = `Payload Too Large: the request body must not exceed ${bodyBytes} bytes`;
  // The rest is not read, so the connection cannot be reused.
  return { refusal: { status: 413, code: RpcCode.REFUSED, message, headers: { connection: "close" } } };
}

function refused(status: number, code: number, message: string): ReadMessage {
  return { refusal: { status, code, message } };
}
