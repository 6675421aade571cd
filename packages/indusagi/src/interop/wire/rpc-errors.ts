import { CoreError } from "../../core/index.ts";
import type { CallerAbilities, RpcError } from "../../runtime/index.ts";

/** Error codes of JSON-RPC and of MCP. */
export const RpcCode = {
  PARSE_ERROR: -32_700,
  INVALID_REQUEST: -32_600,
  METHOD_NOT_FOUND: -32_601,
  INVALID_PARAMS: -32_602,
  INTERNAL_ERROR: -32_603,
  /** Refused for a reason without a specific code, such as a limit. */
  REFUSED: -32_000,
  SESSION_NOT_FOUND: -32_001,
  RESOURCE_NOT_FOUND: -32_002,
  /** A header contradicts the message it came with. */
  HEADER_MISMATCH: -32_020,
  /** The client did not declare a capability that the request needs. */
  MISSING_CAPABILITY: -32_021,
  /** The user declined a question of the server. */
  USER_DECLINED: -1,
} as const;

/** Thrown while a request is served: becomes its JSON-RPC error, with this code and data. */
export class RpcFailure extends CoreError<"rpc"> {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super("rpc", message);
    this.code = code;
    this.data = data;
  }
}

/**
 * Passes a JSON-RPC error of an upstream server on to a client. An error about a missing capability is passed on only if the
 * client lacks it: otherwise it is about a capability of ours, which the client cannot change.
 */
export function upstreamFailure({ code, message, data }: RpcError, can: CallerAbilities): RpcFailure {
  const isOurs = code === RpcCode.MISSING_CAPABILITY && !lacksRequired(can, data);
  return new RpcFailure(isOurs ? RpcCode.INTERNAL_ERROR : code, message, data);
}

function lacksRequired({ elicit, sample, roots, extensions = {} }: CallerAbilities, data: unknown): boolean {
  const required = recordOf(recordOf(data)["requiredCapabilities"]);
  const { form, url } = recordOf(required["elicitation"]);
  return (
    ("sampling" in required && !sample) ||
    ("roots" in required && !roots) ||
    Object.keys(recordOf(required["extensions"])).some((id) => !Object.hasOwn(extensions, id)) ||
    ("elicitation" in required && !elicit) ||
    (form !== undefined && !elicit?.form) ||
    (url !== undefined && !elicit?.url)
  );
}

function recordOf(value: unknown): { readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null ? (value as { readonly [member: string]: unknown }) : {};
}
