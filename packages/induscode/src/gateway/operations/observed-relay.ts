import { isProtocolFault, type RawResult, type Relay, type RelayOptions } from "indusagi/interop";
import type { CallMethod, CallOutcome, CallTarget } from "../../audit/index.ts";
import { jsonSize } from "./json-size.ts";
import { beginCall, type CallObserver, outcomeOfFault, recordedName, recordOf } from "./recorded-call.ts";

interface ServerRequest {
  readonly server: string;
  readonly method: CallMethod;
  readonly target: CallTarget;
  readonly input: unknown;
}

/** A relay that reports each request to a server when it has ended. Lists are not reported: many are answered by us. */
export function observedRelay(relay: Relay, observe: CallObserver): Relay {
  const observed = async (
    { server, method, target, input }: ServerRequest,
    { signal, caller }: RelayOptions,
    send: () => Promise<RawResult>,
  ): Promise<RawResult> => {
    const begun = beginCall();
    const end = (outcome: CallOutcome, resultBytes: number): void => {
      const argumentBytes = jsonSize(input);
      observe(
        recordOf(begun, { method, server, target, caller, outcome, argumentBytes, resultBytes }),
        input,
      );
    };
    try {
      const result = await send();
      end("ok", jsonSize(result));
      return result;
    } catch (thrown) {
      end(outcomeOf(thrown, signal), 0);
      throw thrown;
    }
  };
  return {
    ...relay,
    readResource: (server, uri, options = {}) => {
      const request = { method: "resources/read", target: { resource: uriShape(uri) } } as const;
      return observed({ ...request, server, input: { uri } }, options, () =>
        relay.readResource(server, uri, options),
      );
    },
    getPrompt: (server, prompt, options = {}) => {
      const request = { method: "prompts/get", target: promptTarget(server, prompt.name) } as const;
      return observed({ ...request, server, input: prompt.args ?? {} }, options, () =>
        relay.getPrompt(server, prompt, options),
      );
    },
    complete: (server, completion, options = {}) => {
      const { ref, ...input } = completion;
      const { name, uri } = ref;
      const target =
        typeof name === "string" ? promptTarget(server, name) : { resource: uriShape(String(uri)) };
      return observed({ method: "completion/complete", target, server, input }, options, () =>
        relay.complete(server, completion, options),
      );
    },
  };
}

function promptTarget(server: string, name: string): CallTarget {
  return { prompt: recordedName(server, name) };
}

/** The scheme of a URI and its length: `note:(31)`. The rest may be a name, a path or a secret. */
export function uriShape(uri: string): string {
  const [, scheme = ""] = /^([A-Za-z][A-Za-z0-9+.-]{0,31}:)/.exec(uri) ?? [];
  return `${scheme}(${uri.length})`;
}

/** An error that the server itself sent is an answer. */
function outcomeOf(thrown: unknown, signal: AbortSignal | undefined): CallOutcome {
  if (signal?.aborted) return "cancelled";
  if (!isProtocolFault(thrown)) return "failed";
  if (thrown.rpc) return "error";
  const { kind, reason } = thrown;
  return outcomeOfFault({ kind, ...(reason === undefined ? {} : { reason }) });
}
