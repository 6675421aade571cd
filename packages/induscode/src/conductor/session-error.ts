import { CoreError } from "indusagi/core";

/** Why a session cannot be opened or used. */
export type SessionErrorKind =
  /** There is no such session to continue. */
  | "unknown_session"
  /** Its transcript cannot be read. */
  | "damaged"
  /** Another process uses it. */
  | "in_use"
  /** The session has no such turn. */
  | "unknown_turn"
  /** A turn is running. */
  | "busy";

/** A session cannot be opened or used. The message names the fix. */
export class SessionError extends CoreError<SessionErrorKind> {}
