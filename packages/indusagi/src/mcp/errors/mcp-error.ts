import { CoreError, escapeForDisplay } from "../../core/index.ts";
import type { MCPErrorCode } from "./mcp-error-code.ts";
import { redact } from "./redact.ts";
import { redactText } from "./redact-text.ts";

/** Found on every instance, so that two loaded copies of this package recognise each other's errors. */
const BRAND = Symbol.for("indusagi.MCPError");

/** How many causes of causes are told; beyond that nobody reads. */
const MAX_CAUSES = 5;

/** Where an error belongs, and what lies beneath it. */
export interface MCPErrorContext {
  readonly serverName?: string | undefined;
  readonly toolName?: string | undefined;
  readonly cause?: unknown;
  /** Values that must not be seen, e.g. those of the server's headers and environment: `toJSON` finds them wherever they are. */
  readonly secrets?: readonly string[] | undefined;
}

/** An `MCPError` as a log may have it. */
export interface MCPErrorJson {
  readonly name: "MCPError";
  readonly code: MCPErrorCode;
  readonly message: string;
  readonly serverName?: string;
  readonly toolName?: string;
  readonly details?: unknown;
  readonly cause?: unknown;
}

/** Every failure of the facade. Branch on `code`; the message names the server or the tool, and the way out. */
export class MCPError extends CoreError<MCPErrorCode> {
  readonly code: MCPErrorCode;
  readonly details: unknown;
  readonly serverName: string | undefined;
  readonly toolName: string | undefined;
  readonly #secrets: readonly string[];

  constructor(message: string, code: MCPErrorCode, details?: unknown, context: MCPErrorContext = {}) {
    super(code, message, context.cause === undefined ? {} : { cause: context.cause });
    this.code = code;
    this.details = details;
    this.serverName = context.serverName;
    this.toolName = context.toolName;
    this.#secrets = context.secrets ?? [];
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Safe to log: headers, environments, tokens and what URLs hide are left out, also in the causes. */
  toJSON(): MCPErrorJson {
    const secrets = this.#secrets;
    return {
      name: "MCPError",
      code: this.code,
      message: redactText(this.message, secrets),
      ...(this.serverName === undefined ? {} : { serverName: this.serverName }),
      ...(this.toolName === undefined ? {} : { toolName: this.toolName }),
      ...(this.details === undefined ? {} : { details: redact(this.details, secrets) }),
      ...(this.cause === undefined ? {} : { cause: causeJson(this.cause, secrets) }),
    };
  }

  /** One line for people, as safe to show as `toJSON`. */
  override toString(): string {
    const whose = [
      this.serverName === undefined ? [] : [`server "${this.serverName}"`],
      this.toolName === undefined ? [] : [`tool "${this.toolName}"`],
    ].flat();
    const where = whose.length > 0 ? ` (${whose.join(", ")})` : "";
    return escapeForDisplay(`MCPError [${this.code}]${where}: ${redactText(this.message, this.#secrets)}`);
  }
}

/** Whether a value is an `MCPError`, also one made by another loaded copy of this package. */
export function isMCPError(error: unknown): error is MCPError {
  return typeof error === "object" && error !== null && BRAND in error;
}

/** Whether the connection is gone, so that connecting again is the way out. */
export function isSessionError(error: unknown): error is MCPError {
  return isMCPError(error) && (error.code === "SESSION_ERROR" || error.code === "NOT_CONNECTED");
}

/** A chain of causes, each with its name, words and code. */
function causeJson(cause: unknown, secrets: readonly string[], depth = 1): unknown {
  if (!(cause instanceof Error)) return redact(cause, secrets);
  const { code, kind } = cause as { readonly code?: unknown; readonly kind?: unknown };
  const isLast = cause.cause === undefined || depth >= MAX_CAUSES;
  return {
    name: cause.name,
    message: redactText(cause.message, secrets),
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(typeof kind === "string" ? { kind } : {}),
    ...(isLast ? {} : { cause: causeJson(cause.cause, secrets, depth + 1) }),
  };
}
