import { ProtocolFault, type ServerSession, type SessionRequestOptions } from "../../interop/index.ts";
import type { Caller, Questions } from "../../runtime/index.ts";

/** A server that asks and asks is stopped here. */
const MAX_ROUNDS = 10;

type Params = { readonly [member: string]: unknown };

/**
 * One request and its answer. In the modern era a server asks by answering with questions; it is asked again with the
 * caller's answers until it has none left. In the legacy era its questions come by themselves.
 */
export async function requestRounds(
  session: ServerSession,
  method: string,
  params: Params,
  options: SessionRequestOptions & { readonly caller: Caller },
): Promise<Params> {
  let sent = params;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const answer = (await session.request(method, sent, options)) as Params;
    if (answer["resultType"] !== "input_required") return answer;
    const { inputRequests = {}, requestState } = answer as {
      readonly inputRequests?: Questions;
      readonly requestState?: unknown;
    };
    const inputResponses = (await options.caller.ask?.(inputRequests, options.signal)) ?? {};
    sent = { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
  }
  throw new ProtocolFault("protocol", `${method} led to more than ${MAX_ROUNDS} rounds of questions`);
}
