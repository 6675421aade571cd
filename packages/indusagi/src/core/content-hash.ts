import type * as nodeCrypto from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";

let crypto: typeof nodeCrypto | undefined;

/** Node's cryptography is loaded with the first hash: most of the time our import would take is its. */
function sha256(data: Uint8Array | string): string {
  crypto ??= process.getBuiltinModule("node:crypto");
  return crypto.hash("sha256", data);
}

/**
 * The first 32 hex digits of the SHA-256 of a value's canonical JSON: equal values, equal hash, whatever their key order.
 * 128 bits tell any number of tools apart, and fit into names and keys.
 */
export function contentHash(value: unknown): string {
  return sha256(canonicalJson(value)).slice(0, 32);
}

/** SHA-256, in 64 lower-case hex digits, of bytes (or of a string's UTF-8) exactly as they are. */
export function bytesHash(bytes: Uint8Array | string): string {
  return sha256(bytes);
}
