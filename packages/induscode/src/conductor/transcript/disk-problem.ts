import { describeError, errorCode } from "indusagi/core";

/** Why a write failed, in plain words. */
export function diskProblem(thrown: unknown): string {
  return errorCode(thrown) === "ENOSPC" ? "the disk is full" : describeError(thrown);
}
