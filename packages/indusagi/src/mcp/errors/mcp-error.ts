import { CoreError, escapeForDisplay } from "../../core/index.ts";
import { redactText } from "../../core/internal.ts";
import type { MCPErrorCode } from "./mcp-error-code.ts";
import { redact } from "./redact.ts";

/** Every instance has it, so that two loaded copies of this package recognize each other's errors. */
const BRAND = Symbol.for("indusagi.MCPError");

/** The most causes in the JSON form. */
const MAX_CAUSES = 5;

/** The origin and the cause of an error. */
export interface MCPErrorContext {
  readonly serverName?: string | undefined;
  readonly toolName?: string | undefined;
  readonly cause?: unknown;
  /** Values that `toJSON` and `toString` remove, e.g. those of the server's headers and environment. */
  readonly secrets?: readonly string[] | undefined;
}

/** An `MCPError` in a form that is safe to log. */
export interface MCPErrorJson {
  readonly name: "MCPError";
  readonly code: MCPErrorCode;
  readonly message: string;
  readonly serverName?: string;
  readonly toolName?: string;
  readonly details?: unknown;
  readonly cause?: unknown;
}

/** The error class of the facade. Programs branch on `code`; the message names the server or tool and what to do. */
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

  /** Safe to log: contains no headers, environment values, tokens or secret parts of URLs, also not in the causes. */
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

  /** One line for people. Like `toJSON` it contains no secrets. */
  override toString(): string {
    const subjects = [
      this.serverName === undefined ? [] : [`server "${this.serverName}"`],
      this.toolName === undefined ? [] : [`tool "${this.toolName}"`],
    ].flat();
    const where = subjects.length > 0 ? ` (${subjects.join(", ")})` : "";
    return escapeForDisplay(`MCPError [${this.code}]${where}: ${redactText(this.message, this.#secrets)}`);
  }
}

/** True for an `MCPError`, also one of another loaded copy of this package. */
export function isMCPError(error: unknown): error is MCPError {
  return typeof error === "object" && error !== null && BRAND in error;
}

/** True if the connection is lost, so that the client must connect again. */
export function isSessionError(error: unknown): error is MCPError {
  return isMCPError(error) && (error.code === "SESSION_ERROR" || error.code === "NOT_CONNECTED");
}

/** The chain of causes, each with its name, message and code. */
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
