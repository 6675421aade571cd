import { CoreError, describeError, errorCode, TreeInputError } from "../../../core/index.ts";
import { type FaultDetails, type FaultKind, isProtocolFault, ProtocolFault } from "../../contract/index.ts";
import { httpStatusMeaning } from "./http-statuses.ts";

/** What can be read off anything a transport or the SDK throws, without knowing its class. */
export interface Symptoms {
  /** An HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /** A system error code from anywhere in the chain of causes. */
  readonly code: string | undefined;
  /** The words of the innermost error. */
  readonly message: string;
  /** How long the server asked to be left alone. */
  readonly retryAfterMs: number | undefined;
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

/** Codes of the system, of fetch, and of certificates that are not trusted. */
const SYSTEM_CODE = /^(E[A-Z0-9_]+|UND_ERR_[A-Z_]+|(CERT|DEPTH|SELF_SIGNED|UNABLE_TO)_[A-Z_]+)$/;

/** Looks through a chain of causes. SDK errors, fetch errors and system errors each hide their news in another place. */
export function symptomsOf(thrown: unknown): Symptoms {
  let status: number | undefined;
  let code: string | undefined;
  let message: string | undefined;
  let retryAfterMs: number | undefined;
  for (
    let error: unknown = thrown, depth = 0;
    typeof error === "object" && error !== null && depth < 8;
    depth++
  ) {
    status ??=
      numberIn(error, "status") ?? numberIn((error as { data?: unknown }).data, "status") ?? httpCode(error);
    if ((error as Error).name === "UnauthorizedError") status ??= 401; // The SDK's, which carries no status.
    retryAfterMs ??= numberIn(error, "retryAfterMs");
    const own = errorCode(error);
    if (own && SYSTEM_CODE.test(own)) code ??= own;
    // Our own errors are already in plain words; among others the innermost says most.
    if (CoreError.is(error)) message ??= error.message;
    error = (error as { cause?: unknown }).cause;
  }
  return { status, code, message: message ?? innermostMessage(thrown), retryAfterMs };
}

function innermostMessage(thrown: unknown): string {
  let message = describeError(thrown);
  for (
    let error: unknown = thrown, depth = 0;
    error instanceof Error && depth < 8;
    depth++, error = error.cause
  ) {
    if (error.message) message = error.message;
  }
  return message;
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
  const { status, code, message } = symptomsOf(thrown);
  const reason = reasonOf(site, status, message);
  const retrySafe =
    reason === "session_lost" ||
    isNeverWritten(thrown) ||
    (status === undefined ? isNeverSent(code) : httpStatusMeaning(status).isUnrun);
  const what = status === undefined ? message : `HTTP ${status}: ${message}`;
  return new ProtocolFault(kind, `server "${server}" ${doing}: ${oneLine(what)}`, {
    server,
    cause: thrown,
    ...(status === undefined ? {} : { status }),
    ...(reason === undefined ? {} : { reason }),
    ...(retrySafe ? { retrySafe } : {}),
    ...details,
  });
}

/** Whether a fault of one request means that every later one on the same connection would fail the same way. */
export function endsConnection(fault: ProtocolFault): boolean {
  const { reason, status } = fault.details;
  if (reason === "session_lost") return true;
  if (fault.cause instanceof TreeInputError) return fault.cause.kind === "input_closed";
  return status === undefined
    ? isNeverSent(symptomsOf(fault.cause).code)
    : httpStatusMeaning(status).endsConnection;
}

/** The same failure for a request that may have run, whatever the fault proves about another. */
export function asMayHaveRun<Thrown>(thrown: Thrown): Thrown | ProtocolFault {
  if (!isProtocolFault(thrown) || !thrown.retrySafe) return thrown;
  const { kind, message, details, cause } = thrown;
  return new ProtocolFault(kind, message, { ...details, retrySafe: false, cause: cause ?? thrown });
}

/** A process that had closed its input before we wrote, or had too much to read already. A write that broke off may have arrived. */
function isNeverWritten(thrown: unknown): boolean {
  return thrown instanceof TreeInputError && thrown.cause === undefined;
}

function isNeverSent(code: string | undefined): boolean {
  return code !== undefined && NEVER_SENT.has(code);
}

function reasonOf(
  { hasSession }: FaultSite,
  status: number | undefined,
  message: string,
): string | undefined {
  if (status === 401 || status === 403) return "auth";
  if (!hasSession) return undefined;
  const namesSession = status === 400 && /session|not initialized/i.test(message);
  return status === 404 || namesSession ? "session_lost" : undefined;
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
