import type { CallerAbilities, RpcError } from "../../../runtime/index.ts";
import { RpcCode } from "../../wire/index.ts";
import { RpcFailure } from "../request/rpc-failure.ts";

/**
 * A JSON-RPC error of an upstream server for a client. One about a missing capability is passed on only if the client lacks it:
 * otherwise the upstream means a capability of ours, which the client cannot change.
 */
export function upstreamFailure({ code, message, data }: RpcError, can: CallerAbilities): RpcFailure {
  const isOurs = code === RpcCode.MISSING_CAPABILITY && !lacksRequired(can, data);
  return new RpcFailure(isOurs ? RpcCode.INTERNAL_ERROR : code, message, data);
}

function lacksRequired({ elicit, sample, roots }: CallerAbilities, data: unknown): boolean {
  const required = recordOf(recordOf(data)["requiredCapabilities"]);
  const { form, url } = recordOf(required["elicitation"]);
  return (
    ("sampling" in required && !sample) ||
    ("roots" in required && !roots) ||
    ("elicitation" in required && !elicit) ||
    (form !== undefined && !elicit?.form) ||
    (url !== undefined && !elicit?.url)
  );
}

function recordOf(value: unknown): { readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null ? (value as { readonly [member: string]: unknown }) : {};
}
