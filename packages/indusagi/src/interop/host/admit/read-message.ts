import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isRecord } from "../../../core/internal.ts";
import type { ToolDescriptor } from "../../../llm/index.ts";
import { decodeHeaderValue, type ParamHeader, paramHeadersOf, paramValueOf } from "../../schema/index.ts";
import { RpcCode } from "../../wire/index.ts";
import type { HttpLimits } from "../http/http-options.ts";
import { toolDefinition } from "../offer/tool-definitions.ts";
import { jsonTextProblem } from "../request/json-budget.ts";
import type { Refusal } from "./refusal.ts";

/** A request's body, parsed once for all its readers; or why it was refused. */
type ReadMessage = { readonly body: unknown } | { readonly refusal: Refusal };

/** Gets a message that was read, or the error of a client that left before. Callbacks, because this runs for each call. */
interface MessageReader {
  onRead(read: ReadMessage): void;
  onError(error: Error): void;
}

/** Reads one JSON body within the limits. A body that is too large or too complex is refused before it is parsed. */
export function readMessage(request: IncomingMessage, limits: HttpLimits, reader: MessageReader): void {
  const refusal = refuseHead(request, limits);
  if (refusal) return reader.onRead(refusal);
  readBytes(
    request,
    limits.bodyBytes,
    (bytes) => reader.onRead(bytes ? parseMessage(bytes, limits) : tooLarge(limits)),
    (error) => reader.onError(error),
  );
}

function refuseHead(request: IncomingMessage, limits: HttpLimits): ReadMessage | undefined {
  const { "content-type": type, "content-encoding": encoding, "content-length": length } = request.headers;
  if (!/^application\/json(?:\s*;|$)/i.test(type ?? ""))
    return refused(415, RpcCode.REFUSED, "Unsupported Media Type: Content-Type must be application/json");
  if (encoding !== undefined && encoding !== "identity")
    return refused(
      415,
      RpcCode.REFUSED,
      `Unsupported Media Type: Content-Encoding ${encoding} is not supported; send the body uncompressed`,
    );
  return Number(length) > limits.bodyBytes ? tooLarge(limits) : undefined;
}

function parseMessage(bytes: Buffer, limits: HttpLimits): ReadMessage {
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
function readBytes(
  request: IncomingMessage,
  most: number,
  onBytes: (bytes: Buffer | undefined) => void,
  onError: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let isOver = false;
  const end = (bytes: Buffer | undefined): void => {
    if (isOver) return;
    isOver = true;
    onBytes(bytes);
  };
  const fail = (error: Error): void => {
    if (isOver) return;
    isOver = true;
    onError(error);
  };
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= most) return void chunks.push(chunk);
    request.pause();
    end(undefined);
  });
  request.on("end", () => end(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
  request.on("error", fail);
  request.on("close", () => request.readableEnded || fail(new Error("the client disconnected")));
}

function tooLarge({ bodyBytes }: HttpLimits): ReadMessage {
  const message = `Payload Too Large: the request body must not exceed ${bodyBytes} bytes`;
  // The rest is not read, so the connection cannot be reused.
  return { refusal: { status: 413, code: RpcCode.REFUSED, message, headers: { connection: "close" } } };
}

function refused(status: number, code: number, message: string): ReadMessage {
  return { refusal: { status, code, message } };
}

/** The header declarations of each tool, read once. */
const declarations = new WeakMap<ToolDescriptor, readonly ParamHeader[]>();

/** The first difference between the headers and the arguments of a call; `undefined` if there is none. */
export function paramHeaderMismatch(
  tool: ToolDescriptor,
  args: unknown,
  headers: IncomingHttpHeaders,
): { readonly header: string; readonly body: string } | undefined {
  for (const param of declaredHeaders(tool)) {
    const header = `Mcp-Param-${param.header}`;
    const value = paramValueOf(param, args);
    if (value === undefined) continue;
    const given = headers[header.toLowerCase()];
    const where = param.path.join(".");
    if (given === undefined)
      return { header, body: `the body carries ${where} but the ${header} header is absent` };
    const decoded = decodeHeaderValue(String(given));
    if (decoded === undefined) return { header, body: `the ${header} header is wrapped wrongly` };
    if (!isSameValue(decoded, value)) return { header, body: `the ${header} header does not match ${where}` };
  }
  return undefined;
}

function declaredHeaders(tool: ToolDescriptor): readonly ParamHeader[] {
  let found = declarations.get(tool);
  if (!found) {
    const declared = paramHeadersOf(toolDefinition(tool)["inputSchema"]);
    found = declared.ok ? declared.headers : [];
    declarations.set(tool, found);
  }
  return found;
}

/** Numbers are compared as numbers: `42.0` is `42`. */
function isSameValue(header: string, value: string): boolean {
  if (header === value) return true;
  return /^-?\d+(\.\d+)?$/.test(header) && /^-?\d+(\.\d+)?$/.test(value) && Number(header) === Number(value);
}

/** The first revision of the modern era. */
const FIRST_MODERN = "2026-07-28";

/**
 * Whether a body is certainly one request of the legacy era, found without the SDK's schemas, which take longer than all other
 * checks. False means only that the SDK must decide.
 */
export function isPlainLegacyRequest(body: unknown, headers: IncomingHttpHeaders): boolean {
  const version = headers["mcp-protocol-version"];
  if (version !== undefined && String(version) >= FIRST_MODERN) return false;
  if (!isRecord(body) || body["jsonrpc"] !== "2.0" || typeof body["method"] !== "string") return false;
  if (!isId(body["id"])) return false;
  for (const name in body)
    if (name !== "jsonrpc" && name !== "id" && name !== "method" && name !== "params") return false;
  const { params } = body;
  return params === undefined || (isRecord(params) && isPlainMeta(params["_meta"]));
}

/** The only member of `_meta` that most requests have. A modern request has others. */
function isPlainMeta(meta: unknown): boolean {
  if (meta === undefined) return true;
  if (!isRecord(meta)) return false;
  for (const name in meta) if (name !== "progressToken") return false;
  return meta["progressToken"] === undefined || isId(meta["progressToken"]);
}

function isId(value: unknown): boolean {
  return typeof value === "string" || Number.isSafeInteger(value);
}
