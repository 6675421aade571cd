import type { Answers, Questions } from "../../runtime/index.ts";
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
  /**
   * Questions are the result for a caller that can suspend: its answers come with its next request, perhaps in another process.
   * Default: it is asked.
   */
  readonly suspends?: boolean | undefined;
}

/**
 * Reads a resource. The result is as received; without a cache hint if the server asked questions first. For a caller that can suspend
 * it may be these questions.
 */
export function readResource(
  session: ServerSession,
  uri: string,
  options: ItemRequestOptions,
): Promise<RawResult> {
  return requestRounds(session, "resources/read", { uri }, { ...options, suspends: true });
}

/** Fetches a prompt. The result is as received; for a caller that can suspend it may be questions. */
export function getPrompt(
  session: ServerSession,
  { name, args = {} }: PromptRequest,
  options: ItemRequestOptions,
): Promise<RawResult> {
  return requestRounds(session, "prompts/get", { name, arguments: args }, { ...options, suspends: true });
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
  { meta, suspends, ...options }: ItemRequestOptions,
): Promise<RawResult> {
  const { caller } = options;
  const isSuspended = suspends === true && caller?.can.suspend === true;
  const asked = meta ? { ...params, _meta: meta } : params;
  const resume = isSuspended ? caller.resume : undefined;
  let sent = resume ? answering(asked, resume.responses, resume.state) : asked;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const answer = (await session.request(method, sent, options)) as RawResult;
    // An answer to questions is for this request only.
    if (answer["resultType"] !== "input_required") return round === 0 ? answer : withoutHint(answer);
    if (isSuspended) return answer;
    const { inputRequests = {}, requestState } = answer as {
      readonly inputRequests?: Questions;
      readonly requestState?: unknown;
    };
    const inputResponses = (await caller?.ask?.(inputRequests, options.signal)) ?? {};
    sent = answering(asked, inputResponses, requestState);
  }
  throw new ProtocolFault(
    "protocol",
    `the server answered ${method} with questions more than ${MAX_ROUNDS} times`,
  );
}

function answering(asked: RawResult, inputResponses: Answers, requestState: unknown): RawResult {
  return { ...asked, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
}
