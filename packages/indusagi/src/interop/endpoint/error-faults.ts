import { CoreError, describeError, errorCode } from "../../core/index.ts";
import { type FaultDetails, type FaultKind, isProtocolFault, ProtocolFault } from "../contract/index.ts";

/** What can be read off anything a transport or the SDK throws, without knowing its class. */
interface Symptoms {
  /** An HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /** A system error code from anywhere in the chain of causes. */
  readonly code: string | undefined;
  /** The words of the innermost error. */
  readonly says: string;
}

/** Codes that mean no byte of the request reached a server. */
const NEVER_SENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Statuses with which a server says that it did not run the request. */
const REFUSED_UNRUN = new Set([401, 403, 404, 405, 406, 413, 415, 429]);

/** Looks through a chain of causes. SDK errors, fetch errors and system errors each hide their news in another place. */
export function symptomsOf(thrown: unknown): Symptoms {
  let status: number | undefined;
  let code: string | undefined;
  let says: string | undefined;
  for (
    let error: unknown = thrown, depth = 0;
    typeof error === "object" && error !== null && depth < 8;
    depth++
  ) {
    status ??=
      numberIn(error, "status") ?? numberIn((error as { data?: unknown }).data, "status") ?? httpCode(error);
    const own = errorCode(error);
    if (own && /^(E[A-Z0-9_]+|UND_ERR_[A-Z_]+)$/.test(own)) code ??= own;
    // Our own errors are already in plain words; among others the innermost says most.
    if (CoreError.is(error)) says ??= error.message;
    error = (error as { cause?: unknown }).cause;
  }
  return { status, code, says: says ?? innermostMessage(thrown) };
}

function innermostMessage(thrown: unknown): string {
  let says = describeError(thrown);
  for (
    let error: unknown = thrown, depth = 0;
    error instanceof Error && depth < 8;
    depth++, error = error.cause
  ) {
    if (error.message) says = error.message;
  }
  return says;
}

export interface FaultSite {
  readonly server: string;
  /** What the site table says. */
  readonly kind: FaultKind;
  /** What was being done, e.g. `could not be opened`. */
  readonly doing: string;
  readonly details?: FaultDetails;
  /** The connection has a session that may have been lost. */
  readonly hasSession?: boolean;
}

/** Makes a fault of whatever was thrown at a site. The kind is the site's; the finer reason is read off the symptoms. */
export function faultAt(site: FaultSite, thrown: unknown): ProtocolFault {
  if (isProtocolFault(thrown)) return thrown;
  const { server, kind, doing, details } = site;
  const { status, code, says } = symptomsOf(thrown);
  const reason = reasonOf(site, status, says);
  const retrySafe =
    (code !== undefined && NEVER_SENT.has(code)) ||
    (status !== undefined && REFUSED_UNRUN.has(status)) ||
    reason === "session_lost";
  const what = status === undefined ? says : `HTTP ${status}: ${says}`;
  return new ProtocolFault(kind, `server "${server}" ${doing}: ${oneLine(what)}`, {
    server,
    cause: thrown,
    ...(status === undefined ? {} : { status }),
    ...(reason === undefined ? {} : { reason }),
    ...(retrySafe ? { retrySafe } : {}),
    ...details,
  });
}

function reasonOf({ hasSession }: FaultSite, status: number | undefined, says: string): string | undefined {
  if (status === 401 || status === 403) return "auth";
  if (!hasSession) return undefined;
  return status === 404 || (status === 400 && /session/i.test(says)) ? "session_lost" : undefined;
}

function oneLine(text: string): string {
  const line = text
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim(); // Error pages are for browsers.
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

function numberIn(value: unknown, member: string): number | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found = (value as { readonly [name: string]: unknown })[member];
  return typeof found === "number" ? found : undefined;
}

/** The older HTTP transport's errors carry the status as their `code`. */
function httpCode(error: object): number | undefined {
  const code = numberIn(error, "code");
  return code !== undefined && code >= 300 && code < 600 ? code : undefined;
}
