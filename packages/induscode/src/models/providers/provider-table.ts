import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { DialectName, ThinkingLevel } from "indusagi/llm";
import { anthropicThinking, compatibleThinking, geminiThinking, openaiThinking } from "./thinking.ts";

/** What the package of a provider needs. */
export interface ProviderSettings {
  readonly apiKey: string;
  /** Where the key comes from, for a message about it. */
  readonly keySource: string;
  readonly baseURL: string;
  /** Sends the requests. Absent: that of Node. */
  readonly fetch?: typeof fetch;
}

/** One vendor, or one way of speaking to many. */
export interface Provider {
  readonly id: string;
  /** The environment variable of its key. */
  readonly keyVariable: string;
  /** Some servers on one's own machine take no key. */
  readonly needsKey: boolean;
  /** The environment variable of its address. */
  readonly urlVariable: string;
  /** Absent: the address must be given. */
  readonly url?: string;
  readonly dialect: DialectName;
  /** The most tools in one request. Absent: no fixed number. */
  readonly maxTools?: number;
  /** Whether the answer of a tool may contain images. Elsewhere they follow in a message of their own. */
  readonly imagesInResults: boolean;
  /** Whether parts of a request can be marked as stable, so that they are cached. */
  readonly hasCacheMarks: boolean;
  readonly example: string;
  /** Loads the package of the provider. */
  open(model: string, settings: ProviderSettings): Promise<LanguageModelV3>;
  /** The options that make a model reason as much as asked. */
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

/** Under this name the package looks for the options of a request. */
const PROVIDER_KEY = "openaiCompatible";

/** The name under which the package of a provider takes its options. */
export function optionsKey({ id }: Provider): string {
  return id === "openai-compatible" ? PROVIDER_KEY : id;
}
