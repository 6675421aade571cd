import { CoreError } from "indusagi/core";

/** Why something about tokens was refused. */
export type AccessErrorKind =
  /** Clients would get in without a token where one is required. */
  | "needs_token"
  /** The name of a token is taken, unknown or not usable. */
  | "bad_name"
  /** The file of the tokens cannot be used. */
  | "unusable_file";

/** A refusal that names the thing and the way out. */
export class AccessError extends CoreError<AccessErrorKind> {}
