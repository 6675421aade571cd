import type { CallerAbilities } from "../../../runtime/index.ts";

/** What we tell a server the other side can do: the protocol's words for a caller's abilities. */
export function clientCapabilities(can: CallerAbilities): { readonly [capability: string]: object } {
  const { elicit, sample, roots } = can;
  return {
    ...(elicit
      ? { elicitation: { ...(elicit.form ? { form: {} } : {}), ...(elicit.url ? { url: {} } : {}) } }
      : {}),
    ...(sample
      ? { sampling: { ...(sample.tools ? { tools: {} } : {}), ...(sample.context ? { context: {} } : {}) } }
      : {}),
    ...(roots ? { roots: {} } : {}),
  };
}
