import type * as nodeCrypto from "node:crypto";
import { canonicalJson } from "./json.ts";

let crypto: typeof nodeCrypto | undefined;

/** Loads `node:crypto` with the first hash: it would dominate the import time. */
function sha256(data: Uint8Array | string): string {
  crypto ??= process.getBuiltinModule("node:crypto");
  return crypto.hash("sha256", data);
}

/**
 * The first 32 hex digits of the SHA-256 of a value's canonical JSON. Equal values have equal hashes, whatever their
 * key order. 128 bits are enough to distinguish any number of tools, and short enough for names and keys.
 */
export function contentHash(value: unknown): string {
  return sha256(canonicalJson(value)).slice(0, 32);
}

/** The SHA-256 of bytes, or of a string as UTF-8, in 64 lower-case hex digits. */
export function bytesHash(bytes: Uint8Array | string): string {
  return sha256(bytes);
}
