import { describeError } from "../../core/index.ts";
import type { QuestionAnswerer } from "../../interop/index.ts";
import type { Caller, Question } from "../../runtime/index.ts";
import type { MCPElicitRequest, MCPElicitResult, MCPSamplingRequest } from "../contract/index.ts";
import type { ClientHandlers } from "./client-handlers.ts";

export interface AnswerOptions {
  readonly serverName: string;
  readonly handlers: ClientHandlers;
  /** Called with the reason if a handler failed. */
  readonly note: (message: string) => void;
}

/** The caller of a client's calls. It answers questions with the handlers that are set at that time. */
export function clientCaller(options: AnswerOptions): Caller & QuestionAnswerer {
  return {
    key: "mcp-client",
    get can() {
      return abilitiesOf(options.handlers);
    },
    ask: async (requests, signal) => {
      const answers = Object.entries(requests).map(
        async ([key, question]) => [key, await answer(question, options, signal)] as const,
      );
      return Object.fromEntries(await Promise.all(answers));
    },
  };
}

function abilitiesOf({ elicitation, sampling, roots }: ClientHandlers): Caller["can"] {
  return {
    ...(elicitation ? { elicit: { form: true, url: true } } : {}),
    ...(sampling ? { sample: {} } : {}),
    ...(roots ? { roots: true } : {}),
  };
}

function answer(
  { method, params = {} }: Question,
  options: AnswerOptions,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (method === "elicitation/create") return elicit(params, options, signal);
  if (method === "sampling/createMessage") return sample(params, options, signal);
  return Promise.resolve({ roots: options.handlers.roots ?? [] });
}

type Params = { readonly [member: string]: unknown };

const ACTIONS: readonly unknown[] = ["accept", "decline", "cancel"] satisfies MCPElicitResult["action"][];

/** Declines without a handler and cancels if the handler fails, so that the server's tool can continue. */
async function elicit(
  params: Params,
  { handlers, serverName, note }: AnswerOptions,
  signal: AbortSignal | undefined,
): Promise<MCPElicitResult> {
  if (!handlers.elicitation) return { action: "decline" };
  try {
    const request = { ...params, serverName } as unknown as MCPElicitRequest;
    const result = await handlers.elicitation(request, signal);
    if (ACTIONS.includes(result?.action)) return result;
    note("the elicitation handler returned no action; the request was cancelled");
  } catch (thrown) {
    signal?.throwIfAborted();
    note(`the elicitation handler failed: ${describeError(thrown)}`);
  }
  return { action: "cancel" };
}

async function sample(
  params: Params,
  { handlers, serverName }: AnswerOptions,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (!handlers.sampling) throw new Error("this client has no sampling handler");
  return handlers.sampling({ ...params, serverName } as unknown as MCPSamplingRequest, signal);
}
