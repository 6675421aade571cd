/** Set on every instance, so two loaded copies of this package recognise each other's errors. */
const BRAND = Symbol.for("indusagi.CoreError");

export interface CoreErrorOptions {
  /** The underlying error. Always pass it on: the message names the thing, the cause has the reason. */
  readonly cause?: unknown;
}

/**
 * Base class of every error this project throws.
 *
 * A subsystem extends it with its own closed set of kinds (`ProtocolFault`, `DeckFault`, `MCPError` …). Code that
 * catches one branches on `kind`, never on the text of the message.
 */
export class CoreError<Kind extends string = string> extends Error {
  readonly kind: Kind;

  constructor(kind: Kind, message: string, options: CoreErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    this.kind = kind;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** True for any `CoreError`, even one from another loaded copy of this package. */
  static is(value: unknown): value is CoreError {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}

/** One line for a person about any thrown value, an `Error` or not. */
export function describeError(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  if (typeof thrown === "string") return thrown;
  try {
    return JSON.stringify(thrown) ?? String(thrown);
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}

/** The `code` of a system error (`ENOENT`, `EACCES` …), if it has one. */
export function errorCode(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}
