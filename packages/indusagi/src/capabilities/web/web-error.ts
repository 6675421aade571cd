import { CoreError } from "../../core/index.ts";

/**
 * Why a fetch failed:
 *
 * - `refused`: the guard does not allow the URL
 * - `unreachable`: no connection, or it was lost
 * - `timeout`: the deadline passed
 * - `redirects`: too many, or one that is not valid
 * - `encoding`: the body cannot be decoded
 * - `answer`: the site sent something unexpected
 */
export type WebErrorKind = "refused" | "unreachable" | "timeout" | "redirects" | "encoding" | "answer";

/** A fetch that failed. The message is one line for a model and names the host or the limit. */
export class WebError extends CoreError<WebErrorKind> {}
