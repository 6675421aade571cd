import { describeError } from "../../../core/index.ts";
import { RpcCode } from "../../wire/index.ts";
import { RpcFailure } from "./rpc-failure.ts";

/** Deeper than this, a value is looked at by the writer itself, whose stack has an end. */
const DEPTH = 100;
/** More characters than this are not promised to fit into one string. */
const TEXT = 2 ** 28;
/** A number, a word, or the brackets and commas around a member need less. */
const PER_VALUE = 32;
/** The longest escape of one character. */
const PER_CHARACTER = 6;

/** The value. Throws when JSON cannot hold it: found here that is a failure, found in the transport it is a request without an answer. */
export function sendable<Value>(value: Value): Value {
  if (!isPlain(value)) JSON.stringify(value);
  return value;
}

/** What was thrown, as it can be answered: it may be nothing at all, or have data that cannot be sent. */
export function sendableFailure(thrown: unknown): unknown {
  if (typeof thrown !== "object" || thrown === null)
    return new RpcFailure(RpcCode.INTERNAL_ERROR, describeError(thrown));
  const { code, message, data } = thrown as {
    readonly [member in "code" | "message" | "data"]?: unknown;
  };
  try {
    sendable([message, data]);
    return thrown;
  } catch {
    const isCode = typeof code === "number" && Number.isSafeInteger(code);
    return new RpcFailure(isCode ? code : RpcCode.INTERNAL_ERROR, describeError(thrown));
  }
}

/**
 * Whether a value is certain to be written, found without writing it. `false` says only that it takes a trial:
 * there is something other than plain data in it, or it contains itself, or is very deep or large.
 */
export function isPlain(value: unknown): boolean {
  return room(value, TEXT, DEPTH) >= 0;
}

/** How many characters are left after a value has been written; negative when that is not certain. */
function room(value: unknown, left: number, depth: number): number {
  if (typeof value === "string") return left - PER_VALUE - PER_CHARACTER * value.length;
  if (typeof value === "object" && value !== null)
    return roomAfterMembers(value, left - PER_VALUE, depth - 1);
  return typeof value === "bigint" || typeof value === "function" ? -1 : left - PER_VALUE;
}

function roomAfterMembers(parent: object, before: number, depth: number): number {
  if (depth < 0 || !hasPlainForm(parent)) return -1;
  let left = before;
  if (Array.isArray(parent)) {
    for (let at = 0; at < parent.length && left >= 0; at += 1) left = room(parent[at], left, depth);
    return left;
  }
  // Costs half of what a list of the names does. What all objects inherit is not written, but harms nothing here.
  for (const name in parent) {
    left = room((parent as Record<string, unknown>)[name], left - PER_CHARACTER * name.length, depth);
    if (left < 0) return left;
  }
  return left;
}

/** Data alone: an object of another kind may have a way of its own to be written. */
function hasPlainForm(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isData = prototype === Object.prototype || prototype === null || prototype === Array.prototype;
  return isData && (value as { readonly toJSON?: unknown }).toJSON === undefined;
}
