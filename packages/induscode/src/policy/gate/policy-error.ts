import { CoreError } from "indusagi/core";

/** Why a policy was refused: a rule could not be parsed, or a mode does not exist. */
export type PolicyErrorKind = "bad_rule" | "bad_mode";

/** A policy that cannot be made. The message names each rule. */
export class PolicyError extends CoreError<PolicyErrorKind> {}
