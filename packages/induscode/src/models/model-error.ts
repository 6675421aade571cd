import { CoreError } from "indusagi/core";

/** Why a model cannot be used. */
export type ModelErrorKind =
  /** The name has no provider, or an unknown one. */
  | "bad_name"
  | "no_key"
  /** The provider refused the key. */
  | "wrong_key"
  | "unknown_model"
  /** Too many requests, or the provider has no capacity: another attempt or another model may work. */
  | "overloaded"
  /** The URL did not answer. */
  | "unreachable"
  /** The provider refused the request itself. */
  | "refused"
  /** The provider failed. */
  | "failed";

/** A model cannot be used. The message names the model and the remedy, and never contains a key. */
export class ModelError extends CoreError<ModelErrorKind> {}
