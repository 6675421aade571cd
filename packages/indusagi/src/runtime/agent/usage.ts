import type { ModelUsage } from "../../llm/index.ts";

const COUNTS = ["inputTokens", "outputTokens", "cachedInputTokens", "reasoningTokens"] as const;

/** Adds two usage counts. A number that neither has stays absent. */
export function addUsage(total: ModelUsage, more: ModelUsage): ModelUsage {
  const sums = COUNTS.flatMap((count) => {
    const values = [total[count], more[count]].filter((value) => value !== undefined);
    return values.length > 0 ? [[count, values.reduce((sum, value) => sum + value, 0)] as const] : [];
  });
  return Object.fromEntries(sums);
}
