import type { Environment } from "indusagi/core";
import type { ModelEvent, ModelPort, ModelRequest } from "indusagi/llm";
import type { Accounts } from "./accounts.ts";
import { fromStream } from "./convert/from-stream.ts";
import { toPrompt, toTools } from "./convert/to-prompt.ts";
import { explainFailure } from "./explain-failure.ts";
import { ModelError } from "./model-error.ts";
import { parseModelName } from "./model-name.ts";
import { providerFetch } from "./provider-fetch.ts";
import { optionsKey, type Provider, type ProviderSettings } from "./providers/provider-table.ts";

export interface OpenModelOptions {
  readonly env: Environment;
  /** Keys from the account file. They override the environment. */
  readonly accounts?: Accounts;
  /** Called once for each thing that is not sent to a provider. */
  readonly report?: (message: string) => void;
}

/**
 * Opens a model named `provider/name`. The provider's package is loaded with the first request. Throws a `ModelError` for a
 * missing name or key; the port itself throws one for everything the provider refuses.
 */
export function openModel(name: string, { env, accounts, report = () => {} }: OpenModelOptions): ModelPort {
  const { provider, model } = parseModelName(name);
  const settings = providerSettings(provider, env, accounts);
  const reportLosses = onlyNew(report);
  return {
    id: name,
    async *stream(request, signal) {
      const { tools, names, ownNames, losses } = toTools(request.tools, provider);
      reportLosses(losses);
      try {
        const through = await providerFetch(env, (problem) => reportLosses([problem]));
        const opened = await provider.open(model, { ...settings, ...(through && { fetch: through }) });
        const { stream } = await opened.doStream({
          prompt: toPrompt(request, provider, names),
          ...(tools.length > 0 && { tools: [...tools], toolChoice: { type: request.toolChoice ?? "auto" } }),
          ...requestOptions(request, provider, model),
          ...(signal && { abortSignal: signal }),
        });
        yield* fromStream(stream as AsyncIterable<never>, ownNames) as AsyncIterable<ModelEvent>;
      } catch (thrown) {
        signal?.throwIfAborted();
        throw explainFailure(thrown, model, provider, settings);
      }
    },
  };
}

/** The key and the URL of a provider. */
export function providerSettings(
  { id, keyVariable, needsKey, urlVariable, url }: Provider,
  env: Environment,
  accounts?: Accounts,
): ProviderSettings {
  const kept = accounts?.key(id);
  const keySource = kept === undefined ? keyVariable : `${id} in the account file`;
  const apiKey = (kept ?? env[keyVariable] ?? "").trim();
  if (apiKey === "" && needsKey)
    throw new ModelError(
      "no_key",
      `there is no key for ${id}; set ${keyVariable}, or put the key into accounts.json next to your mcp.json`,
    );
  if (UNSENDABLE.test(apiKey))
    throw new ModelError(
      "no_key",
      `${keySource} contains a character that is not valid in a key; copy the key again`,
    );
  const baseURL = (env[urlVariable] || url)?.replace(/\/+$/, "");
  if (baseURL === undefined)
    throw new ModelError(
      "bad_name",
      `${id} has no default URL; set ${urlVariable}, for example to http://127.0.0.1:11434/v1`,
    );
  checkAddress(baseURL, { urlVariable, keyVariable });
  return { apiKey, baseURL, keySource };
}

/** Characters that a header cannot contain, such as the "…" of a key copied from a list. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/** The request would fail too, but with an unclear message that contains the password. */
function checkAddress(
  baseURL: string,
  { urlVariable, keyVariable }: Pick<Provider, "urlVariable" | "keyVariable">,
): void {
  const refuse = (why: string): never => {
    throw new ModelError("bad_name", `${urlVariable} ${why}`);
  };
  if (!URL.canParse(baseURL)) refuse(`is not a URL: ${JSON.stringify(baseURL)}`);
  const { username, password, protocol } = new URL(baseURL);
  if (username + password !== "") refuse(`must not have a user or a password; put a key into ${keyVariable}`);
  // Local URLs are often written without a scheme; the host would then be parsed as the protocol.
  if (!/^https?:$/.test(protocol))
    refuse(`must start with http:// or https://, not ${JSON.stringify(baseURL)}`);
}

function requestOptions(request: ModelRequest, provider: Provider, model: string) {
  const { thinking, maxOutputTokens, temperature, stopSequences } = request;
  return {
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences && { stopSequences: [...stopSequences] }),
    ...(thinking && {
      providerOptions: { [optionsKey(provider)]: provider.thinking(thinking, model) as never },
    }),
  };
}

function onlyNew(report: (message: string) => void): (messages: readonly string[]) => void {
  const reported = new Set<string>();
  return (messages) => {
    for (const message of messages.filter((one) => !reported.has(one))) {
      reported.add(message);
      report(message);
    }
  };
}
