import { extensionKey, withoutEnvelope } from "../../content/index.ts";
import {
  type CompletionRequest,
  isProtocolFault,
  type ProviderRequest,
  type RawResult,
} from "../../contract/index.ts";
import { parseNamespacedUri } from "../../naming/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import type { DeclaredCapabilities } from "../missing-capability.ts";
import { findPrompt } from "./prompt-provider.ts";
import { clashFailure, passedOn, passOn, type RelayParts } from "./relay-parts.ts";
import { isInScope, type RelayScope } from "./relay-scope.ts";
import { locate } from "./resource-provider.ts";

/** A completion request for the server that has the prompt or template, with the name that it has there. */
interface Translated {
  readonly server: string;
  readonly completion: CompletionRequest;
}

/** Completes an argument of a prompt or of a template. A server that completes nothing has no suggestions. */
export async function completeArgument(
  parts: RelayParts,
  scope: RelayScope,
  completion: CompletionRequest,
  request: ProviderRequest,
): Promise<RawResult> {
  const { server, completion: own } = await translated(parts, scope, completion, request);
  const completing = parts.relay.complete(server, own, passedOn(parts, { scope, server }, request));
  return passOn(
    completing.then(withoutEnvelope, (thrown: unknown) => {
      const isUnsupported = isProtocolFault(thrown) && thrown.reason === "unsupported";
      if (isUnsupported && scope.only === undefined) return { completion: { values: [] } };
      throw thrown;
    }),
    request.caller,
  );
}

async function translated(
  parts: RelayParts,
  scope: RelayScope,
  completion: CompletionRequest,
  request: ProviderRequest,
): Promise<Translated> {
  const { ref } = completion;
  const { type, name, uri } = ref;
  if (type === "ref/prompt" && typeof name === "string") {
    const prompt = await findPrompt(parts, scope, name, request);
    if (!prompt) throw new RpcFailure(RpcCode.INVALID_PARAMS, `Unknown prompt: ${name}`);
    return { server: prompt.server, completion: { ...completion, ref: { ...ref, name: prompt.name } } };
  }
  if (type === "ref/resource" && typeof uri === "string") {
    const template = await findTemplate(parts, scope, uri, request);
    return { server: template.server, completion: { ...completion, ref: { ...ref, uri: template.uri } } };
  }
  throw new RpcFailure(RpcCode.INVALID_PARAMS, "ref must name a prompt or a resource template");
}

/** The reference is a template as it was listed, or the URI of a resource. */
async function findTemplate(
  parts: RelayParts,
  scope: RelayScope,
  uri: string,
  request: ProviderRequest,
): Promise<{ readonly server: string; readonly uri: string }> {
  if (scope.only !== undefined || parseNamespacedUri(uri)) return locate(parts, scope, uri, request);
  await parts.begun();
  const { signal, caller } = request;
  const patienceMs = parts.patienceMs(caller.client);
  const extensions = extensionKey(caller.can.extensions);
  const asking = { signal, patienceMs, extensions, maxAgeMs: Number.POSITIVE_INFINITY };
  await parts.lists.all("templates", asking);
  const clashing = parts.names.clashing(uri);
  const seen = clashing.filter((server) => isInScope(scope, server, caller));
  if (clashing.length > 0) throw clashFailure(uri, seen);
  const [server] = parts.names.ownersOfTemplate(uri);
  return server !== undefined && isInScope(scope, server, caller)
    ? { server, uri }
    : locate(parts, scope, uri, request);
}

/**
 * Whether a client can use completion: one of its servers supports it, or may do so. A client is told only once what is
 * supported.
 */
export function mayComplete(declared: DeclaredCapabilities, keeps: (server: string) => boolean): boolean {
  for (const [server, capabilities] of declared) {
    const isPossible = !capabilities || capabilities["completions"] !== undefined;
    if (isPossible && keeps(server)) return true;
  }
  return false;
}
