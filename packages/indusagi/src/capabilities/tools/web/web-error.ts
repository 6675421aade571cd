import { CoreError } from "../../../core/index.ts";

/**
 * Why nothing could be fetched:
 *
 * - `refused`: the guard did not let the request out
 * - `unreachable`: no connection, or it broke
 * - `timeout`: the deadline passed
 * - `redirects`: too many of them, or one that leads nowhere
 * - `encoding`: a body that cannot be decoded
 * - `answer`: the site answered, but not with what was asked for
 */
export type WebErrorKind = "refused" | "unreachable" | "timeout" | "redirects" | "encoding" | "answer";

/** A fetch that failed. The message is one line, names the host or the limit, and is fit for a model to read. */
export class WebError extends CoreError<WebErrorKind> {}
