import { CoreError } from "indusagi/core";

/**
 * Why the cluster cannot be used: `unreachable`; `refused`: it is not safe, or not as it must be; `not_set_up`: `indus cluster init` was
 * not run; `conflict`: somebody else wrote at the same time; `invalid`: what was given.
 */
export type ClusterErrorKind = "unreachable" | "refused" | "not_set_up" | "conflict" | "invalid";

export class ClusterError extends CoreError<ClusterErrorKind> {}
