import type { Questions } from "../../runtime/index.ts";
import { ProtocolFault, type ServerSession, type SessionRequestOptions } from "../contract/index.ts";

type Params = { readonly [member: string]: unknown };

/** The most rounds of questions in one request. */
const MAX_ROUNDS = 10;

/**
 * Sends a request until the server has no more questions. A modern server asks by answering with questions, and gets
 * the request again with the answers. A legacy server sends its questions as separate requests.
 */
export async function requestRounds(
  session: ServerSession,
  method: string,
  params: Params,
  options: SessionRequestOptions,
): Promise<Params> {
  let sent = params;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const answer = (await session.request(method, sent, options)) as Params;
    if (answer["resultType"] !== "input_required") return answer;
    const { inputRequests = {}, requestState } = answer as {
      readonly inputRequests?: Questions;
      readonly requestState?: unknown;
    };
    const inputResponses = (await options.caller?.ask?.(inputRequests, options.signal)) ?? {};
    sent = { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
  }
  throw new ProtocolFault(
    "protocol",
    `the server answered ${method} with questions more than ${MAX_ROUNDS} times`,
  );
}
