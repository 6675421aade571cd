import { describeError } from "../../../core/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";

/** Deeper values are checked by `JSON.stringify` itself, whose stack is limited. */
const DEPTH = 100;
/** The longest string of this Node, less some space for the message around a value. */
const TEXT = process.getBuiltinModule("node:buffer").constants.MAX_STRING_LENGTH - 1024;
/** Upper bound for a number, a literal, or the punctuation around a member. */
const PER_VALUE = 32;
/** Length of the longest escape of one character. */
const PER_CHARACTER = 6;

/**
 * Returns the value. Throws if JSON cannot hold it: an error here becomes an answer, but an error in the transport would
 * leave the request without one.
 */
export function sendable<Value>(value: Value): Value {
  if (!isPlain(value)) JSON.stringify(value);
  return value;
}

/** A thrown value in a form that can be sent: it may not be an object, or its data may not be JSON. */
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
 * True if a value can certainly be written, found without writing it. False means only that it must be tried: the
 * value contains something other than plain data, contains itself, or is very deep or large.
 */
export function isPlain(value: unknown): boolean {
  return room(value, TEXT, DEPTH) >= 0;
}

/** Characters left after a value has been written; negative if that is not certain. */
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
  // `for…in` is twice as fast as `Object.keys` here. Inherited members are not written, but counting them does no
  // harm.
  for (const name in parent) {
    left = room((parent as Record<string, unknown>)[name], left - PER_CHARACTER * name.length, depth);
    if (left < 0) return left;
  }
  return left;
}

/** True for plain data. Other objects may define how they are written. */
function hasPlainForm(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isData = prototype === Object.prototype || prototype === null || prototype === Array.prototype;
  return isData && (value as { readonly toJSON?: unknown }).toJSON === undefined;
}
