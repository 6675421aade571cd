import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Lets people and scanners recognise a leaked token. */
const PREFIX = "indus_";
const ID_BYTES = 5;
const SECRET_BYTES = 32;
const FORM = /^indus_([0-9a-f]{10})_[A-Za-z0-9_-]{43}$/;

/** A new token: a public id and a random secret. */
export interface TokenText {
  readonly id: string;
  /** What a client sends. Shown once and not stored. */
  readonly token: string;
  readonly hash: string;
}

export function mintToken(): TokenText {
  const id = randomBytes(ID_BYTES).toString("hex");
  const token = `${PREFIX}${id}_${randomBytes(SECRET_BYTES).toString("base64url")}`;
  return { id, token, hash: hashOf(token).toString("hex") };
}

/** The id in a token's text. Undefined if it is not one of ours. */
export function tokenIdIn(token: string): string | undefined {
  return FORM.exec(token)?.[1];
}

/** Compares a token with a hash, in constant time. */
export function matchesHash(token: string, hash: string): boolean {
  const expected = Buffer.from(hash, "hex");
  const given = hashOf(token);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** A plain hash is enough: a dictionary attack cannot find a secret of 256 random bits. */
function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
