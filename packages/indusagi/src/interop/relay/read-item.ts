import type { Questions } from "../../runtime/index.ts";
import { withoutHint } from "../content/index.ts";
import {
  type CompletionRequest,
  type PromptRequest,
  ProtocolFault,
  type RawResult,
  type ServerSession,
  type SessionRequestOptions,
} from "../contract/index.ts";

/** A request to a session, with the `_meta` to send. */
export interface ItemRequestOptions extends SessionRequestOptions {
  readonly meta?: { readonly [key: string]: unknown } | undefined;
}

/** Reads a resource. The result is as received; without a cache hint if the server asked questions first. */
export function readResource(
  session: ServerSession,
  uri: string,
  options: ItemRequestOptions,
): Promise<RawResult> {
  return requestRounds(session, "resources/read", { uri }, options);
}

/** Fetches a prompt. The result is as received. */
export function getPrompt(
  session: ServerSession,
  { name, args = {} }: PromptRequest,
  options: ItemRequestOptions,
): Promise<RawResult> {
  return requestRounds(session, "prompts/get", { name, arguments: args }, options);
}

/** Completes an argument of a prompt or of a resource template. The result is as received. */
export function complete(
  session: ServerSession,
  completion: CompletionRequest,
  options: ItemRequestOptions,
): Promise<RawResult> {
  return requestRounds(session, "completion/complete", { ...completion }, options);
}

/** The most rounds of questions in one request. */
const MAX_ROUNDS = 10;

/**
 * Sends a request until the server has no more questions. A modern server asks by answering with questions, and gets
 * the request again with the answers. A legacy server sends its questions as separate requests.
 */
export async function requestRounds(
  session: ServerSession,
  method: string,
  params: RawResult,
  { meta, ...options }: ItemRequestOptions,
): Promise<RawResult> {
  const asked = meta ? { ...params, _meta: meta } : params;
  let sent = asked;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const answer = (await session.request(method, sent, options)) as RawResult;
    // An answer to questions is for this request only.
    if (answer["resultType"] !== "input_required") return round === 0 ? answer : withoutHint(answer);
    const { inputRequests = {}, requestState } = answer as {
      readonly inputRequests?: Questions;
      readonly requestState?: unknown;
    };
    const inputResponses = (await options.caller?.ask?.(inputRequests, options.signal)) ?? {};
    sent = { ...asked, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
  }
  throw new ProtocolFault(
    "protocol",
    `the server answered ${method} with questions more than ${MAX_ROUNDS} times`,
  );
}
