import type { IncomingHttpHeaders } from "node:http";
import { isRecord } from "../../../core/internal.ts";
import { MetaKey, type RpcMessage } from "../../contract/index.ts";

/** The methods that take the lane. */
type PlainMethod = "tools/call" | "tools/list" | "tasks/get" | "ping";

/** A request that is certainly valid, and needs nothing of the SDK. */
export interface PlainRequest extends RpcMessage {
  readonly id: string | number;
  readonly method: PlainMethod;
  readonly params?: PlainParams;
}

interface PlainParams {
  readonly [member: string]: unknown;
  readonly _meta?: PlainMeta;
}

type PlainMeta = { readonly [member: string]: unknown; readonly progressToken?: string | number };

/** The revision of the modern era that we serve. */
const MODERN_VERSION = "2026-07-28";

const RESERVED = "io.modelcontextprotocol/";

/**
 * Whether a message is a plain request of the legacy era. False means only that the SDK must decide: every request that passes is
 * valid by the SDK's schemas, and has nothing that the SDK would treat specially.
 */
export function isPlainLegacy(message: unknown): message is PlainRequest {
  if (!isPlainEnvelope(message) || message.method === "tasks/get") return false;
  const { params } = message;
  if (!hasPlainParams(message.method, params)) return false;
  const meta = params?.["_meta"];
  if (meta === undefined) return true;
  if (!isRecord(meta) || !isToken(meta["progressToken"])) return false;
  for (const name in meta) if (name.startsWith(RESERVED)) return false;
  return true;
}

/** The same for the modern era, except for what the request says about its client: see `ModernClients`. */
export function isPlainModern(message: unknown): message is PlainRequest & { readonly params: PlainParams } {
  if (!isPlainEnvelope(message) || message.method === "ping") return false;
  const { params } = message;
  if (!params || !hasPlainParams(message.method, params)) return false;
  const meta = params["_meta"];
  if (!isRecord(meta) || meta[MetaKey.PROTOCOL_VERSION] !== MODERN_VERSION) return false;
  for (const name in meta) if (name.startsWith(RESERVED) && !isClientKey(name)) return false;
  return isToken(meta["progressToken"]);
}

/** The members of `_meta` that describe the client of a modern request. */
export const CLIENT_KEYS: readonly string[] = [
  MetaKey.PROTOCOL_VERSION,
  MetaKey.CLIENT_INFO,
  MetaKey.CLIENT_CAPABILITIES,
  MetaKey.LOG_LEVEL,
];

export function isClientKey(name: string): boolean {
  return CLIENT_KEYS.includes(name);
}

/** Whether the headers of a modern request over HTTP repeat it as they must, and its client takes JSON. */
export function hasPlainHeaders({ method, params }: PlainRequest, headers: IncomingHttpHeaders): boolean {
  const { accept } = headers;
  if (headers["mcp-protocol-version"] !== MODERN_VERSION || headers["mcp-method"] !== method) return false;
  if (accept !== undefined && !accept.includes("application/json") && !accept.includes("*/*")) return false;
  const name = headers["mcp-name"];
  // A name may be encoded.
  if (method !== "tools/call" && method !== "tasks/get") return true;
  const named = params?.[method === "tools/call" ? "name" : "taskId"];
  return name === named && !String(name).startsWith("=?");
}

function isPlainEnvelope(message: unknown): message is {
  readonly id: string | number;
  readonly method: PlainMethod;
  readonly params?: { readonly [member: string]: unknown };
} {
  if (!isRecord(message) || message["jsonrpc"] !== "2.0" || !isId(message["id"])) return false;
  const { method, params } = message;
  if (method !== "tools/call" && method !== "tools/list" && method !== "tasks/get" && method !== "ping")
    return false;
  for (const name in message)
    if (name !== "jsonrpc" && name !== "id" && name !== "method" && name !== "params") return false;
  return params === undefined || isRecord(params);
}

/** A request that continues another, or starts a task, is for the SDK. */
function hasPlainParams(
  method: PlainMethod,
  params: { readonly [member: string]: unknown } | undefined,
): boolean {
  if (!params) return method === "tools/list" || method === "ping";
  if ("inputResponses" in params || "requestState" in params) return false;
  if (method === "tools/list") return params["cursor"] === undefined || typeof params["cursor"] === "string";
  if (method === "ping") return true;
  if (method === "tasks/get") return typeof params["taskId"] === "string";
  const args = params["arguments"];
  return typeof params["name"] === "string" && (args === undefined || isRecord(args)) && !("task" in params);
}

function isToken(value: unknown): boolean {
  return value === undefined || isId(value);
}

function isId(value: unknown): boolean {
  return typeof value === "string" || Number.isSafeInteger(value);
}
