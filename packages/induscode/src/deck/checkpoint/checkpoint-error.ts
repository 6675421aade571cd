import { CoreError } from "indusagi/core";
import type { LedgerLogErrorKind } from "../ledger-log/index.ts";
import { systemRefusal } from "../ledger-log/internal.ts";

/** Why an operation on a checkpoint store was refused. */
export type CheckpointErrorKind =
  | Exclude<LedgerLogErrorKind, "out_of_order">
  /** The store has no such node: it was never begun, is undone, or was dropped by a limit. */
  | "unknown_node"
  /** The node cannot be begun: its id is not usable, or later nodes exist. */
  | "bad_node";

/** An operation on a checkpoint store that was refused. The message names the store and the remedy. */
export class CheckpointError extends CoreError<CheckpointErrorKind> {
  /** The folder or file of the store. */
  readonly path: string;

  constructor(
    kind: CheckpointErrorKind,
    path: string,
    message: string,
    options: { readonly cause?: unknown } = {},
  ) {
    super(kind, `checkpoint store ${path} ${message}`, options);
    this.path = path;
  }
}

/** Converts any error into an error of the store. `doing` is a past participle, for example `opened`. */
export function checkpointRefusal(path: string, doing: string, cause: unknown): CheckpointError {
  if (cause instanceof CheckpointError) return cause;
  const { kind, detail } = systemRefusal(path, doing, cause);
  return new CheckpointError(kind === "out_of_order" ? "io" : kind, path, detail, { cause });
}

/** Why a workspace cannot be read as a whole. */
export class FolderError extends Error {
  /** `NO_WORK_TREE`: the folder is in none, so this is an expected failure. */
  readonly code: "NO_WORK_TREE" | undefined;

  constructor(message: string, options: { readonly cause?: unknown; readonly code?: "NO_WORK_TREE" } = {}) {
    super(message, options);
    this.code = options.code;
  }
}
