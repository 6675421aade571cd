import type { ThinkingLevel } from "indusagi/llm";

/** The options of a provider's package. Empty: the model decides, or has no such setting. */
type ThinkingOptions = { readonly [member: string]: unknown };

/** Tokens to reason with, for models that take a number. */
const BUDGETS: { readonly [level in ThinkingLevel]: number } = {
  off: 0,
  minimal: 1_024,
  low: 4_096,
  medium: 10_240,
  high: 24_576,
  xhigh: 32_000,
};

/** Claude takes a number of tokens since 3.7, and a word since 4.6. Models before that refuse the setting. */
export function anthropicThinking(level: ThinkingLevel, model: string): ThinkingOptions {
  const isOld = /^claude-(?:2|instant|3-(?:5|opus|sonnet|haiku))/.test(model);
  if (level === "off" || isOld) return {};
  const version = versionOf(model, /^claude-[a-z]+-(\d+)(?:-(\d{1,2}))?(?!\d)/);
  if (version < 406) return { thinking: { type: "enabled", budgetTokens: BUDGETS[level] } };
  const words = { minimal: "low", ...(version < 407 && { xhigh: "high" }) };
  return { thinking: { type: "adaptive" }, effort: wordFor(level, words) };
}

/** Each generation of OpenAI takes other words, and refuses those that it does not know. */
export function openaiThinking(level: ThinkingLevel, model: string): ThinkingOptions {
  if (/^o\d/.test(model))
    return { reasoningEffort: wordFor(level, { off: "low", minimal: "low", xhigh: "high" }) };
  const version = versionOf(model, /^gpt-(\d+)(?:\.(\d+))?(?!.*chat)/);
  if (version < 500) return {};
  const words =
    version < 501
      ? { off: "minimal", xhigh: "high" }
      : { off: "none", minimal: "low", ...(version < 502 && { xhigh: "high" }) };
  return { reasoningEffort: wordFor(level, words) };
}

/** Servers of other makers know three words at least. */
export function compatibleThinking(level: ThinkingLevel): ThinkingOptions {
  return level === "off" ? {} : { reasoningEffort: wordFor(level, { minimal: "low", xhigh: "high" }) };
}

/** Gemini takes a number of tokens in generation 2.5, and a word later. Models before that refuse the setting. */
export function geminiThinking(level: ThinkingLevel, model: string): ThinkingOptions {
  if (/^gemini-(?:1\.|2\.0)/.test(model)) return {};
  if (/^gemini-2\b/.test(model)) {
    // The published limits: the large model cannot be switched off, the small ones take fewer tokens.
    const [least, most] = model.includes("pro") ? [128, 32_768] : [0, 24_576];
    return { thinkingConfig: { thinkingBudget: Math.min(Math.max(BUDGETS[level], least), most) } };
  }
  return { thinkingConfig: { thinkingLevel: wordFor(level, { off: "minimal", xhigh: "high" }) } };
}

/** `4-6` as 406, so that versions can be compared. 0 if the name has none. */
function versionOf(model: string, pattern: RegExp): number {
  const [, major = 0, minor = 0] = pattern.exec(model) ?? [];
  return Number(major) * 100 + Number(minor);
}

/** The level itself, unless the model calls it differently. */
function wordFor(level: ThinkingLevel, others: { readonly [level in ThinkingLevel]?: string }): string {
  return others[level] ?? level;
}
