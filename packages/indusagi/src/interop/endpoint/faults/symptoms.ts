import { CoreError, describeError, errorCode } from "../../../core/index.ts";

/** What can be read from any error of a transport or the SDK, regardless of its class. */
export interface Symptoms {
  /** The HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** A system error code from anywhere in the chain of causes. */
  readonly code: string | undefined;
  /** The message of the innermost error. */
  readonly message: string;
  /** How long the server asked us to wait. */
  readonly retryAfterMs: number | undefined;
  /** How the user logs in. */
  readonly login: string | undefined;
}

/** Codes of the system, Node, fetch and untrusted certificates. The SDK has a code that begins with `ERA_`. */
const SYSTEM_CODE =
  /^(E(?!RA_)[A-Z0-9_]+|UND_ERR_[A-Z_]+|HPE_[A-Z_]+|(CERT|DEPTH|SELF_SIGNED|UNABLE_TO)_[A-Z_]+)$/;

/** Reads the chain of causes. SDK errors, fetch errors and system errors keep their details in different places. */
export function symptomsOf(thrown: unknown): Symptoms {
  let status: number | undefined;
  let code: string | undefined;
  let message: string | undefined;
  let retryAfterMs: number | undefined;
  let login: string | undefined;
  for (
    let error: unknown = thrown, depth = 0;
    typeof error === "object" && error !== null && depth < 8;
    depth++
  ) {
    status ??=
      numberIn(error, "status") ?? numberIn((error as { data?: unknown }).data, "status") ?? httpCode(error);
    if ((error as Error).name === "UnauthorizedError") status ??= 401; // An SDK error without a status.
    retryAfterMs ??= numberIn(error, "retryAfterMs");
    login ??= loginIn(error);
    const own = errorCode(error);
    if (own && SYSTEM_CODE.test(own)) code ??= own;
    // Our own messages are already plain; for other errors the innermost message is the most precise.
    if (CoreError.is(error)) message ??= error.message;
    error = (error as { cause?: unknown }).cause;
  }
  return { status, code, message: message ?? innermostMessage(thrown), retryAfterMs, login };
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

function numberIn(value: unknown, member: string): number | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found = (value as { readonly [name: string]: unknown })[member];
  return typeof found === "number" ? found : undefined;
}

function loginIn(error: object): string | undefined {
  const { login } = error as { readonly login?: unknown };
  return CoreError.is(error) && typeof login === "string" ? login : undefined;
}

/** Errors of the older HTTP transport carry the status as `code`. */
function httpCode(error: object): number | undefined {
  const code = numberIn(error, "code");
  return code !== undefined && code >= 300 && code < 600 ? code : undefined;
}
