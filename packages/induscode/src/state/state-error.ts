import { CoreError } from "indusagi/core";

/** Why a state folder was refused. */
export type StateErrorKind =
  /** There is no home folder to put it in. */
  | "no_home"
  /** The workspace does not exist, or is not a folder. */
  | "no_workspace"
  /** Its path is a symbolic link or a file. */
  | "not_a_folder"
  /** It belongs to another user. */
  | "not_owned"
  /** It was made for another workspace. */
  | "wrong_workspace"
  /** It could not be created, read or changed. */
  | "unavailable";

/** A refused state folder. The message names the path and the remedy. */
export class StateError extends CoreError<StateErrorKind> {}
