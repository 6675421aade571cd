import type { IncomingHttpHeaders } from "node:http";
import { isRecord } from "../../../core/internal.ts";

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
