import { hash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";

/** SHA-256, in 64 lower-case hex digits, of a value's canonical JSON: equal values, equal hash, whatever their key order. */
export function contentHash(value: unknown): string {
  return hash("sha256", canonicalJson(value));
}

/** SHA-256, in 64 lower-case hex digits, of bytes (or of a string's UTF-8) exactly as they are. */
export function bytesHash(bytes: Uint8Array | string): string {
  return hash("sha256", bytes);
}
