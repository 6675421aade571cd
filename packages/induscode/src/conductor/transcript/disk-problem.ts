import { describeError, errorCode } from "indusagi/core";

/** Why the disk did not take something, for a person. */
export function diskProblem(thrown: unknown): string {
  return errorCode(thrown) === "ENOSPC" ? "the disk is full" : describeError(thrown);
}
