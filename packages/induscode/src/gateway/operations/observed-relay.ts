import { isProtocolFault, type Relay } from "indusagi/interop";
import { type RelayRequest, wrapRequests } from "../around-calls.ts";
import type { CallOutcome, CallTarget } from "./audit/index.ts";
import { jsonSize } from "./json-size.ts";
import {
  beginCall,
  type CallObserver,
  outcomeOfFault,
  recordedName,
  recordOf,
  shortName,
} from "./recorded-call.ts";

/** Reports each request to a server when it has ended. Not lists: we answer many of them ourselves. */
export function observedRelay(relay: Relay, observe: CallObserver): Relay {
  return wrapRequests(relay, async (request, send) => {
    const { method, server, options } = request;
    const { signal, caller } = options;
    const begun = beginCall();
    const end = (outcome: CallOutcome, resultBytes: number): void => {
      const input = inputOf(request);
      const sizes = { argumentBytes: jsonSize(input), resultBytes };
      const target = targetOf(request);
      observe(recordOf(begun, { method, server, target, caller, outcome, ...sizes }), input);
    };
    try {
      const result = await send();
      end("ok", jsonSize(result));
      return result;
    } catch (thrown) {
      end(outcomeOf(thrown, signal), 0);
      throw thrown;
    }
  });
}

function inputOf(request: RelayRequest): unknown {
  if ("uri" in request) return { uri: request.uri };
  if (request.method === "extension") return request.request.params;
  if (request.method === "prompts/get") return request.prompt.args ?? {};
  const { ref: _, ...input } = request.completion;
  return input;
}

function targetOf(request: RelayRequest): CallTarget {
  if ("uri" in request) return { resource: uriShape(request.uri) };
  if (request.method === "extension") return { extension: shortName(request.request.method) };
  if (request.method === "prompts/get") return promptTarget(request.server, request.prompt.name);
  const { name, uri } = request.completion.ref;
  return typeof name === "string" ? promptTarget(request.server, name) : { resource: uriShape(String(uri)) };
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
  return outcomeOfFault({ kind, reason });
}
