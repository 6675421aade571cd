import { hkdfSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { describeError } from "indusagi/core";
import { ClusterError } from "./cluster-error.ts";

const KEY_BYTES = 32;

/** A key from the secret in a file, for one purpose. The secret and its keys never lie in NATS. Throws with one line. */
export function keyOfFile(keyFile: string, purpose: string): Uint8Array {
  let secret: Buffer;
  try {
    secret = readFileSync(keyFile);
  } catch (cause) {
    throw new ClusterError("invalid", `--key-file: ${keyFile} cannot be read: ${describeError(cause)}`, {
      cause,
    });
  }
  if (secret.length < KEY_BYTES)
    throw new ClusterError(
      "invalid",
      `--key-file: ${keyFile} has fewer than ${KEY_BYTES} bytes; make one with openssl rand -base64 48`,
    );
  return new Uint8Array(hkdfSync("sha256", secret, "", purpose, KEY_BYTES));
}

/** A key of this process alone. */
export function keyOfProcess(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(KEY_BYTES));
}
