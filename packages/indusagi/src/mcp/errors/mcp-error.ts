import { CoreError, escapeForDisplay } from "../../core/index.ts";
import { definedMembers, redactText } from "../../core/internal.ts";
import { redact } from "./redact.ts";

const CODES = [
  "CONNECTION_FAILED",
  "TIMEOUT",
  "TOOL_NOT_FOUND",
  "INVALID_PARAMETERS",
  "SERVER_ERROR",
  "TRANSPORT_ERROR",
  "NOT_CONNECTED",
  "PROTOCOL_ERROR",
  "CONFIG_ERROR",
  "SCHEMA_CONVERSION_ERROR",
  "RESOURCE_NOT_FOUND",
  "PROMPT_NOT_FOUND",
  "SESSION_ERROR",
] as const;

/** The kind of an error, for programs. One of thirteen. */
export type MCPErrorCode = (typeof CODES)[number];

/** The codes by name: `MCPErrorCode.TIMEOUT` is `"TIMEOUT"`. */
export const MCPErrorCode: { readonly [Code in MCPErrorCode]: Code } = Object.freeze(
  Object.fromEntries(CODES.map((code) => [code, code])) as { [Code in MCPErrorCode]: Code },
);

/** Every instance has it, so two loaded copies of this package recognize each other's errors. */
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

  /** Safe to log: contains no headers, environment values, tokens or secret parts of URLs, not even in its causes. */
  toJSON(): MCPErrorJson {
    const secrets = this.#secrets;
    return definedMembers({
      name: "MCPError" as const,
      code: this.code,
      message: redactText(this.message, secrets),
      serverName: this.serverName,
      toolName: this.toolName,
      details: redact(this.details, secrets),
      cause: causeJson(this.cause, secrets),
    });
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

/** True for an `MCPError`, including one from another loaded copy of this package. */
export function isMCPError(error: unknown): error is MCPError {
  return typeof error === "object" && error !== null && BRAND in error;
}

/** True if the connection is lost, so the client must connect again. */
export function isSessionError(error: unknown): error is MCPError {
  return isMCPError(error) && (error.code === "SESSION_ERROR" || error.code === "NOT_CONNECTED");
}

/** The chain of causes, each with its name, message and code. */
function causeJson(cause: unknown, secrets: readonly string[], depth = 1): unknown {
  if (!(cause instanceof Error)) return redact(cause, secrets);
  const { code, kind } = cause as { readonly code?: unknown; readonly kind?: unknown };
  const isLast = cause.cause === undefined || depth >= MAX_CAUSES;
  return definedMembers({
    name: cause.name,
    message: redactText(cause.message, secrets),
    code: typeof code === "string" || typeof code === "number" ? code : undefined,
    kind: typeof kind === "string" ? kind : undefined,
    cause: isLast ? undefined : causeJson(cause.cause, secrets, depth + 1),
  });
}
