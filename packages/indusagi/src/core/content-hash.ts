import { hash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";

/**
 * The first 32 hex digits of the SHA-256 of a value's canonical JSON: equal values, equal hash, whatever their key order.
 * 128 bits tell any number of tools apart, and fit into names and keys.
 */
export function contentHash(value: unknown): string {
  return hash("sha256", canonicalJson(value)).slice(0, 32);
}

/** SHA-256, in 64 lower-case hex digits, of bytes (or of a string's UTF-8) exactly as they are. */
export function bytesHash(bytes: Uint8Array | string): string {
  return hash("sha256", bytes);
}
