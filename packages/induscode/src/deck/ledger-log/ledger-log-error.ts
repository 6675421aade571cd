import { CoreError, describeError, errorCode } from "indusagi/core";

/** Why an operation on a ledger log was refused. */
export type LedgerLogErrorKind =
  /** The content is damaged; see `damage`. None of it is used or changed. */
  | "corrupt"
  /** Another writer holds the segment. */
  | "locked"
  | "no_space"
  | "read_only"
  | "no_permission"
  | "not_found"
  /** An earlier write or flush failed. Nothing is acknowledged until the log is opened again. */
  | "failed"
  | "closed"
  /** An entry does not have the next sequence number. */
  | "out_of_order"
  /** An entry cannot be written: it is too large, or not JSON. */
  | "bad_entry"
  /** Any other error of the system. */
  | "io";

/** An operation on a ledger log that was refused. The message names the file and the remedy. */
export class LedgerLogError extends CoreError<LedgerLogErrorKind> {
  readonly path: string;
  /** The message without the name of the log. */
  readonly detail: string;
  /** Present only for `corrupt`. */
  readonly damage?: LogDamage;

  constructor(kind: LedgerLogErrorKind, path: string, message: string, details: LedgerLogErrorDetails = {}) {
    super(kind, `ledger log ${path} ${message}`, "cause" in details ? { cause: details.cause } : {});
    this.path = path;
    this.detail = message;
    if (details.damage) this.damage = details.damage;
  }
}

export interface LedgerLogErrorDetails {
  readonly cause?: unknown;
  readonly damage?: LogDamage;
}

const KIND_OF_CODE: { readonly [code: string]: LedgerLogErrorKind } = {
  ENOSPC: "no_space",
  EDQUOT: "no_space",
  EROFS: "read_only",
  EACCES: "no_permission",
  EPERM: "no_permission",
  ENOENT: "not_found",
};

/** Converts a system error into an error of the log. `doing` is a past participle, for example `read`. */
export function systemRefusal(path: string, doing: string, cause: unknown): LedgerLogError {
  if (cause instanceof LedgerLogError) return cause;
  const kind = KIND_OF_CODE[errorCode(cause) ?? ""] ?? "io";
  return new LedgerLogError(kind, path, `could not be ${doing}: ${describeError(cause)}`, { cause });
}

/** The kinds of damage to a record. */
export type DamageKind =
  /** It does not have the form of a record. */
  | "malformed"
  /** Its checksum does not match. */
  | "checksum"
  /** It repeats the previous record exactly. */
  | "duplicate"
  /** Its sequence number was used before. */
  | "repeat"
  /** Sequence numbers are missing before it. */
  | "gap"
  /** It is intact, but not a known entry: written by another version, or by hand. */
  | "content";

/** Damage that a torn write cannot explain, and where it starts. */
export interface LogDamage {
  readonly kind: DamageKind;
  /** The offset of the damaged record. Everything before it is intact. */
  readonly offset: number;
  readonly message: string;
}
