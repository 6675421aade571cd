import { CoreError, describeError, errorCode, TreeInputError } from "../../../core/index.ts";
import type { Redactor } from "../../../core/internal.ts";
import { type FaultDetails, type FaultKind, isProtocolFault, ProtocolFault } from "../../contract/index.ts";
import { httpStatusMeaning } from "./http-statuses.ts";

/** What can be read from any error of a transport or of the SDK, without knowing its class. */
export interface Symptoms {
  /** The HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** A system error code from anywhere in the chain of causes. */
  readonly code: string | undefined;
  /** The message of the innermost error. */
  readonly message: string;
  /** How long the server asked us to wait. */
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

/** Reads the chain of causes. SDK errors, fetch errors and system errors keep their details in different places. */
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
    if ((error as Error).name === "UnauthorizedError") status ??= 401; // An SDK error without a status.
    retryAfterMs ??= numberIn(error, "retryAfterMs");
    const own = errorCode(error);
    if (own && SYSTEM_CODE.test(own)) code ??= own;
    // Our own messages are already plain; of other errors the innermost is the most precise.
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
  /** The kind for this place, as the contract defines it. */
  readonly kind: FaultKind;
  /** What failed, for example `could not be opened`. */
  readonly doing: string;
  readonly details?: FaultDetails;
  /** Removes the secrets of the server. */
  readonly redactor: Redactor;
  /** The connection has a session that may have been lost. */
  readonly hasSession?: boolean;
}

/** Makes a fault from an error. The kind depends on the place; the reason is read from the error. */
export function faultAt(site: FaultSite, thrown: unknown): ProtocolFault {
  const { server, kind, doing, details, redactor } = site;
  if (isProtocolFault(thrown)) return redactor.value(thrown);
  const { status, code, message } = symptomsOf(thrown);
  const reason = reasonOf(site, status, message);
  const retrySafe =
    reason === "session_lost" ||
    isNeverWritten(thrown) ||
    (status === undefined ? isNeverSent(code) : httpStatusMeaning(status).didNotRun);
  const what = status === undefined ? message : `HTTP ${status}: ${message}`;
  return new ProtocolFault(kind, `server "${server}" ${doing}: ${oneLine(redactor.text(what))}`, {
    server,
    cause: redactor.value(thrown),
    ...(status === undefined ? {} : { status }),
    ...(reason === undefined ? {} : { reason }),
    ...(retrySafe ? { retrySafe } : {}),
    ...details,
  });
}

/** True if every later request on the same connection would fail the same way. */
export function endsConnection(fault: ProtocolFault): boolean {
  const { reason, status } = fault.details;
  if (reason === "session_lost") return true;
  if (fault.cause instanceof TreeInputError) return fault.cause.kind === "input_closed";
  return status === undefined
    ? isNeverSent(symptomsOf(fault.cause).code)
    : httpStatusMeaning(status).endsConnection;
}

/** The same fault for a request that may have run. */
export function asMayHaveRun<Thrown>(thrown: Thrown): Thrown | ProtocolFault {
  if (!isProtocolFault(thrown) || !thrown.retrySafe) return thrown;
  const { kind, message, details, cause } = thrown;
  return new ProtocolFault(kind, message, { ...details, retrySafe: false, cause: cause ?? thrown });
}

/**
 * The process had closed its input before the write, or had too much unread input. An interrupted write may have
 * arrived.
 */
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
    .trim(); // Error pages are HTML.
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

function numberIn(value: unknown, member: string): number | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found = (value as { readonly [name: string]: unknown })[member];
  return typeof found === "number" ? found : undefined;
}

/** Errors of the older HTTP transport carry the status as `code`. */
function httpCode(error: object): number | undefined {
  const code = numberIn(error, "code");
  return code !== undefined && code >= 300 && code < 600 ? code : undefined;
}
