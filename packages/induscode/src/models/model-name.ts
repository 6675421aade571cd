import { ModelError } from "./model-error.ts";
import { PROVIDERS, type Provider } from "./providers/provider-table.ts";

export interface ModelName {
  readonly provider: Provider;
  /** The provider's name for the model. It may contain slashes. */
  readonly model: string;
}

/** Reads `provider/name`. */
export function parseModelName(text: string): ModelName {
  const slash = text.indexOf("/");
  const id = slash < 0 ? text : text.slice(0, slash);
  const provider = PROVIDERS.find((one) => one.id === id);
  const model = text.slice(slash + 1);
  if (provider && slash > 0 && model !== "") return { provider, model };
  const known = PROVIDERS.map((one) => one.id).join(", ");
  const problem = provider ? `has no model name after ${id}/` : "has no known provider";
  throw new ModelError(
    "bad_name",
    `${JSON.stringify(text)} ${problem}: write provider/name with one of ${known}, for example ${PROVIDERS[0]?.example}`,
  );
}
