import { CoreError } from "indusagi/core";

export type AccessErrorKind =
  /** Clients would get in without a token where one is required. */
  | "needs_token"
  /** The name of a token is taken, unknown or invalid. */
  | "bad_name"
  /** The token file cannot be used. */
  | "unusable_file";

export class AccessError extends CoreError<AccessErrorKind> {}
