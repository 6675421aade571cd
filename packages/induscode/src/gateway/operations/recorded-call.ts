import { isoTime, mintUlid, shortenText } from "indusagi/core";
import type { Caller, ClientInfo } from "indusagi/runtime";
import { tokenIn } from "../access/token-record.ts";
import type { CallMethod, CallOutcome, CallRecord, CallTarget } from "./audit/index.ts";

/** Gets each call when it has ended, with its arguments, whose values must not be stored. Must not throw. */
export type CallObserver = (record: CallRecord, input: unknown) => void;

/** A running call. */
export interface BegunCall {
  /** Since 1970. */
  readonly atMs: number;
  readonly startMs: number;
}

export function beginCall(): BegunCall {
  return { atMs: Date.now(), startMs: performance.now() };
}

export interface EndedCall extends Pick<CallRecord, "argumentBytes" | "resultBytes"> {
  readonly method: CallMethod;
  readonly target: CallTarget;
  readonly server: string | undefined;
  readonly outcome: CallOutcome;
  readonly caller: Caller | undefined;
}

/** Clients choose these names. */
const MAX_NAME = 128;

/** The record of a call that has just ended. Without spreads, which cost ten times as much: this runs for each call. */
export function recordOf(
  { atMs, startMs }: BegunCall,
  { caller, server, method, target, outcome, argumentBytes, resultBytes }: EndedCall,
): CallRecord {
  const token = caller?.principal === undefined ? undefined : tokenIn(caller.principal);
  const record: { -readonly [Member in keyof CallRecord]: CallRecord[Member] } = {
    at: isoTime(atMs),
    id: `req_${mintUlid()}`,
    session: caller?.key ?? "local",
    method,
    ms: Math.round((performance.now() - startMs) * 10) / 10,
    outcome,
    argumentBytes,
    resultBytes,
    pid: PID,
  };
  if (token) record.principal = token.name;
  if (token?.id !== undefined) record.token = token.id;
  if (caller?.client) record.client = clientName(caller.client);
  if (server !== undefined) record.server = server;
  if (caller?.program !== undefined) record.program = caller.program;
  return Object.assign(record, target);
}

const PID = process.pid;

/** The name of a tool or prompt in a record: the same on every route, even on a server's own route, which shows bare names. */
export function recordedName(server: string, name: string): string {
  return shortName(`${server}__${name}`);
}

export function shortName(name: string): string {
  return shortenText(name, MAX_NAME);
}

/** The outcome by the reason of a fault; otherwise its kind decides. */
const REASONS: { readonly [reason: string]: CallOutcome } = {
  aborted: "cancelled",
  unknown_tool: "unknown",
  unsupported: "unknown",
  policy: "refused",
  auth: "refused",
};

/** The outcome of a call that ended with a fault. */
export function outcomeOfFault(fault: {
  readonly kind: string;
  readonly reason?: string | undefined;
}): CallOutcome {
  return REASONS[fault.reason ?? ""] ?? (fault.kind === "timeout" ? "timeout" : "failed");
}

function clientName({ name, version }: ClientInfo): string {
  return shortName(version === undefined ? name : `${name}/${version}`);
}
