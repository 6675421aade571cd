import type {
  CompletionRequest,
  PromptRequest,
  RawResult,
  ServerSession,
  SessionRequestOptions,
} from "../contract/index.ts";
import { requestRounds } from "./request-rounds.ts";

/** A request to a session, with the `_meta` to send. */
export interface ItemRequestOptions extends SessionRequestOptions {
  readonly meta?: { readonly [key: string]: unknown } | undefined;
}

/** Reads a resource. The result is as received. */
export function readResource(
  session: ServerSession,
  uri: string,
  { meta, ...options }: ItemRequestOptions,
): Promise<RawResult> {
  return requestRounds(session, "resources/read", { uri, ...(meta && { _meta: meta }) }, options);
}

/** Fetches a prompt. The result is as received. */
export function getPrompt(
  session: ServerSession,
  { name, args = {} }: PromptRequest,
  { meta, ...options }: ItemRequestOptions,
): Promise<RawResult> {
  const params = { name, arguments: args, ...(meta && { _meta: meta }) };
  return requestRounds(session, "prompts/get", params, options);
}

/** Completes an argument of a prompt or of a resource template. The result is as received. */
export function complete(
  session: ServerSession,
  completion: CompletionRequest,
  { meta, ...options }: ItemRequestOptions,
): Promise<RawResult> {
  return requestRounds(
    session,
    "completion/complete",
    { ...completion, ...(meta && { _meta: meta }) },
    options,
  );
}
