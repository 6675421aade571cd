import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Both ends of a connection prove that they know the key, without sending it. Neither says anything else before. */
export type Side = "client" | "gateway";

/** A number that is used once. */
export function freshNonce(): string {
  return randomBytes(24).toString("hex");
}

/** The proof of one side for one connection. */
export function proofOf(
  side: Side,
  key: Buffer,
  nonces: { readonly client: string; readonly gateway: string },
): string {
  return createHmac("sha256", key).update(`indus ${side}\n${nonces.client}\n${nonces.gateway}`).digest("hex");
}

export function isProof(given: unknown, expected: string): boolean {
  if (typeof given !== "string" || given.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}

export function isNonce(given: unknown): given is string {
  return typeof given === "string" && /^[0-9a-f]{48}$/.test(given);
}
