import { isoTime, mintUlid, shortenText } from "indusagi/core";
import type { Caller, ClientInfo } from "indusagi/runtime";
import { tokenIn } from "../access/principal.ts";
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

/** The record of a call that has just ended. Its time and its id are made when it is written. */
export function recordOf(
  { atMs, startMs }: BegunCall,
  { caller, server, method, target, outcome, argumentBytes, resultBytes }: EndedCall,
): CallRecord {
  const token = caller?.principal === undefined ? undefined : tokenIn(caller.principal);
  const client = caller?.client && clientName(caller.client);
  let id: string | undefined;
  return {
    get at() {
      return isoTime(atMs);
    },
    get id() {
      id ??= `req_${mintUlid()}`;
      return id;
    },
    ...(token ? { principal: token.name } : {}),
    ...(token?.id === undefined ? {} : { token: token.id }),
    ...(client === undefined ? {} : { client }),
    session: caller?.key ?? "local",
    method,
    ...(server === undefined ? {} : { server }),
    ...target,
    ms: Math.round((performance.now() - startMs) * 10) / 10,
    outcome,
    argumentBytes,
    resultBytes,
    pid: process.pid,
  };
}

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
