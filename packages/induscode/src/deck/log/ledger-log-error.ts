import { CoreError, describeError, errorCode } from "indusagi/core";
import type { LogDamage } from "./log-damage.ts";

/** Why a ledger's log refused. */
export type LedgerLogErrorKind =
  /** Its content is damaged; `damage` says where and how. Nothing of it is used or changed. */
  | "corrupt"
  /** Another writer has it. */
  | "locked"
  | "no_space"
  | "read_only"
  | "no_permission"
  | "not_found"
  /** An earlier write could not be made safe: nothing is acknowledged until the log is opened again. */
  | "failed"
  | "closed"
  /** An entry does not carry the next number. */
  | "out_of_order"
  /** An entry cannot be written: too large, or no JSON. */
  | "bad_entry"
  /** Anything else the system said. */
  | "io";

/** A refusal of a ledger's log. The message names the file and the way out. */
export class LedgerLogError extends CoreError<LedgerLogErrorKind> {
  readonly path: string;
  /** Present only for `corrupt`. */
  readonly damage?: LogDamage;

  constructor(kind: LedgerLogErrorKind, path: string, message: string, details: LedgerLogErrorDetails = {}) {
    super(kind, `ledger log ${path} ${message}`, "cause" in details ? { cause: details.cause } : {});
    this.path = path;
    if (details.damage) this.damage = details.damage;
  }
}

/** What a refusal knows beyond its words. */
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

/** A failure of the system as a refusal of the log. */
export function systemRefusal(path: string, doing: string, cause: unknown): LedgerLogError {
  if (cause instanceof LedgerLogError) return cause;
  const kind = KIND_OF_CODE[errorCode(cause) ?? ""] ?? "io";
  return new LedgerLogError(kind, path, `could not be ${doing}: ${describeError(cause)}`, { cause });
}
