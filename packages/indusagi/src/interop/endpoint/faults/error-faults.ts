import { TreeInputError } from "../../../core/index.ts";
import { definedMembers, type Redactor } from "../../../core/internal.ts";
import {
  type FaultDetails,
  type FaultKind,
  isProtocolFault,
  missingRights,
  ProtocolFault,
} from "../../contract/index.ts";
import { httpStatusMeaning } from "./http-statuses.ts";
import { networkFailure, withoutJargon } from "./network-failures.ts";
import { processSummary } from "./process-remains.ts";
import { type Symptoms, symptomsOf } from "./symptoms.ts";

/** Codes that mean that no byte of the request reached a server. */
const NEVER_SENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

export interface FaultSite {
  readonly server: string;
  /** The kind for this place, as the contract defines it. */
  readonly kind: FaultKind;
  /** What failed, for example `could not be opened`. */
  readonly doing: string;
  /** Appended to the message. */
  readonly end?: string;
  readonly details?: FaultDetails;
  /** Removes the secrets of the server. */
  readonly redactor: Redactor;
  /** The connection has a session that may have been lost. */
  readonly hasSession?: boolean;
}

/** Makes a fault from an error. The kind depends on where it failed; the reason is read from the error. */
export function faultAt(site: FaultSite, thrown: unknown): ProtocolFault {
  const { server, kind, doing, end = "", details, redactor } = site;
  if (isProtocolFault(thrown)) return redactor.value(thrown);
  const symptoms = symptomsOf(thrown);
  const { status, code } = symptoms;
  const reason = reasonOf(site, status, symptoms.message);
  const retrySafe =
    reason === "session_lost" ||
    isNeverWritten(thrown) ||
    (status === undefined ? isNeverSent(code) : httpStatusMeaning(status).didNotRun);
  // The exit of a process explains a failed write better than the write error does.
  const what = details?.exit ? "" : `: ${oneLine(redactor.text(plainMessage(symptoms)))}`;
  const message = `server "${server}" ${doing}${what}${processSummary(details ?? {})}${end}`;
  const found = {
    server,
    cause: redactor.value(thrown),
    status,
    reason,
    login: symptoms.login,
    retrySafe: retrySafe || undefined,
  };
  return new ProtocolFault(kind, message, { ...definedMembers(found), ...details });
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

/** The same fault, marked as not safe to retry because the request may have run. */
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

/** What a status means if the server gave no reason. */
export const STATUS_WORDS: { readonly [status: number]: string } = {
  401: missingRights(401),
  403: "it denies access",
  404: "there is nothing at this path",
};

/** What went wrong, in plain words. */
function plainMessage(symptoms: Symptoms): string {
  const { status, message } = symptoms;
  if (status === undefined) return networkFailure(symptoms)?.summary ?? (withoutJargon(message) || message);
  const own = /^(the server (requires|denied)|HTTP \d+$)/.test(withoutJargon(message))
    ? ""
    : withoutJargon(message);
  const words = own.trim() || STATUS_WORDS[status];
  return words === undefined ? `HTTP ${status}` : `HTTP ${status}: ${words}`;
}

function oneLine(text: string): string {
  const line = text
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim(); // Error pages are HTML.
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
