import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { DialectName, ThinkingLevel } from "indusagi/llm";

/** What the package of a provider needs. */
export interface ProviderSettings {
  readonly apiKey: string;
  /** Where the key comes from, for messages. */
  readonly keySource: string;
  readonly baseURL: string;
  /** Default: Node's `fetch`. */
  readonly fetch?: typeof fetch;
}

/** One vendor, or one API that many vendors share. */
export interface Provider {
  readonly id: string;
  /** The environment variable for its key. */
  readonly keyVariable: string;
  /** Local servers may need no key. */
  readonly needsKey: boolean;
  /** The environment variable for its URL. */
  readonly urlVariable: string;
  /** Absent: the URL must be set. */
  readonly url?: string;
  readonly dialect: DialectName;
  /** The most tools in one request. Absent: no fixed limit. */
  readonly maxTools?: number;
  /** Whether tool results may contain images. Otherwise they follow in a separate message. */
  readonly imagesInResults: boolean;
  /** Whether parts of a request can be marked for caching. */
  readonly hasCacheMarks: boolean;
  readonly example: string;
  /** Loads the package of the provider. */
  open(model: string, settings: ProviderSettings): Promise<LanguageModelV3>;
  /** The request options for a level of reasoning. */
  thinking(level: ThinkingLevel, model: string): { readonly [member: string]: unknown };
  /** The request that lists the models. */
  listing(settings: ProviderSettings): {
    readonly url: string;
    readonly headers: { readonly [name: string]: string };
  };
}

/** The documented limit of OpenAI and of Gemini. */
const MAX_TOOLS = 128;

const bearer = ({ apiKey }: ProviderSettings): { readonly [name: string]: string } =>
  apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` };

/** Every provider, in the order of the help. */
export const PROVIDERS: readonly Provider[] = [
  {
    id: "anthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    needsKey: true,
    urlVariable: "ANTHROPIC_BASE_URL",
    url: "https://api.anthropic.com/v1",
    dialect: "anthropic",
    imagesInResults: true,
    hasCacheMarks: true,
    example: "anthropic/claude-sonnet-4-5",
    open: async (model, settings) => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic(settings)(model);
    },
    thinking: anthropicThinking,
    listing: ({ apiKey, baseURL }) => ({
      url: `${baseURL}/models?limit=1000`,
      headers: { "x-api-key": apiKey, "anthropic-version": "2023-06-01" },
    }),
  },
  {
    id: "openai",
    keyVariable: "OPENAI_API_KEY",
    needsKey: true,
    urlVariable: "OPENAI_BASE_URL",
    url: "https://api.openai.com/v1",
    dialect: "openai",
    maxTools: MAX_TOOLS,
    imagesInResults: false,
    hasCacheMarks: false,
    example: "openai/gpt-5",
    open: async (model, settings) => {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI(settings).chat(model);
    },
    thinking: openaiThinking,
    listing: (settings) => ({ url: `${settings.baseURL}/models`, headers: bearer(settings) }),
  },
  {
    id: "google",
    keyVariable: "GOOGLE_GENERATIVE_AI_API_KEY",
    needsKey: true,
    urlVariable: "GOOGLE_BASE_URL",
    url: "https://generativelanguage.googleapis.com/v1beta",
    dialect: "gemini",
    maxTools: MAX_TOOLS,
    imagesInResults: false,
    hasCacheMarks: false,
    example: "google/gemini-2.5-pro",
    open: async (model, settings) => {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return createGoogleGenerativeAI(settings)(model);
    },
    thinking: geminiThinking,
    listing: ({ apiKey, baseURL }) => ({
      url: `${baseURL}/models?pageSize=1000`,
      headers: { "x-goog-api-key": apiKey },
    }),
  },
  {
    id: "openai-compatible",
    keyVariable: "OPENAI_API_KEY",
    needsKey: false,
    urlVariable: "OPENAI_BASE_URL",
    dialect: "openai",
    maxTools: MAX_TOOLS,
    imagesInResults: false,
    hasCacheMarks: false,
    example: "openai-compatible/llama3.2 with OPENAI_BASE_URL=http://127.0.0.1:11434/v1",
    open: async (model, { apiKey, ...settings }) => {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const key = apiKey === "" ? {} : { apiKey };
      const provider = createOpenAICompatible({
        name: PROVIDER_KEY,
        includeUsage: true,
        ...settings,
        ...key,
      });
      return provider.chatModel(model);
    },
    thinking: compatibleThinking,
    listing: (settings) => ({ url: `${settings.baseURL}/models`, headers: bearer(settings) }),
  },
];

/** The key under which the package looks for request options. */
const PROVIDER_KEY = "openaiCompatible";

/** The name under which the package of a provider takes its options. */
export function optionsKey({ id }: Provider): string {
  return id === "openai-compatible" ? PROVIDER_KEY : id;
}

/** Options for a provider's package. Empty: the model decides, or has no such setting. */
type ThinkingOptions = { readonly [member: string]: unknown };

/** Reasoning budgets in tokens, for models that take a number. */
const BUDGETS: { readonly [level in ThinkingLevel]: number } = {
  off: 0,
  minimal: 1_024,
  low: 4_096,
  medium: 10_240,
  high: 24_576,
  xhigh: 32_000,
};

/** Claude takes a number of tokens since 3.7, and a word since 4.6. Older models reject the setting. */
function anthropicThinking(level: ThinkingLevel, model: string): ThinkingOptions {
  const isOld = /^claude-(?:2|instant|3-(?:5|opus|sonnet|haiku))/.test(model);
  if (level === "off" || isOld) return {};
  const version = versionOf(model, /^claude-[a-z]+-(\d+)(?:-(\d{1,2}))?(?!\d)/);
  if (version < 406) return { thinking: { type: "enabled", budgetTokens: BUDGETS[level] } };
  const words = { minimal: "low", ...(version < 407 && { xhigh: "high" }) };
  return { thinking: { type: "adaptive" }, effort: wordFor(level, words) };
}

/** Each generation of OpenAI models takes different words and rejects unknown ones. */
function openaiThinking(level: ThinkingLevel, model: string): ThinkingOptions {
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

/** Compatible servers know at least three words: low, medium and high. */
function compatibleThinking(level: ThinkingLevel): ThinkingOptions {
  return level === "off" ? {} : { reasoningEffort: wordFor(level, { minimal: "low", xhigh: "high" }) };
}

/** Gemini takes a number of tokens in generation 2.5, and a word later. Older models reject the setting. */
function geminiThinking(level: ThinkingLevel, model: string): ThinkingOptions {
  if (/^gemini-(?:1\.|2\.0)/.test(model)) return {};
  if (/^gemini-2\b/.test(model)) {
    // Published limits: reasoning cannot be turned off in the large model, and the small ones take fewer tokens.
    const [least, most] = model.includes("pro") ? [128, 32_768] : [0, 24_576];
    return { thinkingConfig: { thinkingBudget: Math.min(Math.max(BUDGETS[level], least), most) } };
  }
  return { thinkingConfig: { thinkingLevel: wordFor(level, { off: "minimal", xhigh: "high" }) } };
}

/** `4-6` as 406, so versions can be compared. 0 if the name has none. */
function versionOf(model: string, pattern: RegExp): number {
  const [, major = 0, minor = 0] = pattern.exec(model) ?? [];
  return Number(major) * 100 + Number(minor);
}

/** The level itself, unless the model calls it differently. */
function wordFor(level: ThinkingLevel, others: { readonly [level in ThinkingLevel]?: string }): string {
  return others[level] ?? level;
}
