import { CoreError } from "indusagi/core";

/** The launch is not a hash, so nothing can be bound to it (`bad_launch`), or the disk refused (`unwritable`). */
export type TrustErrorKind = "bad_launch" | "unwritable";

/** A decision that could not be stored or removed. Reading never throws. */
export class TrustError extends CoreError<TrustErrorKind> {}
