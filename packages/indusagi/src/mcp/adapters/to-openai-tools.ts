import { shortenText } from "../../core/index.ts";
import type { MCPToolCallResult } from "../contract/index.ts";
import { nameTools, type ObjectSchema } from "./named-tools.ts";
import { type OpenAIOutputPart, responsesOutput } from "./openai-output.ts";
import { portionsOf, wordsOf } from "./portions.ts";
import { type AdapterOptions, type DispatchOptions, parseArguments, runCall } from "./run-call.ts";
import { type ToolSource, toolBoxOf } from "./tool-source.ts";

/** A tool as Chat Completions take it. */
export interface OpenAIChatTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: ObjectSchema;
  };
}

/** A model's request in a chat completion. */
export interface OpenAIChatToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The answer to it: the next message of the chat. Such messages hold text only. */
export interface OpenAIToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly content: string;
}

/** A tool as the Responses API takes it. */
export interface OpenAIResponsesTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: ObjectSchema;
  /** Strict mode wants every property required, which would make optional ones impossible. */
  readonly strict: false;
}

/** A model's request in a response: an output item. */
export interface OpenAIFunctionCall {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

/** The answer to it: an input item of the next request. */
export interface OpenAIFunctionCallOutput {
  readonly type: "function_call_output";
  readonly call_id: string;
  readonly output: string | OpenAIOutputPart[];
}

/** A box's tools for Chat Completions, and the way back. */
export interface OpenAIChatTools {
  /** The tools as they are now; ask again after a change of the box. */
  readonly tools: OpenAIChatTool[];
  /** Runs what a model asked for. Always resolves. */
  dispatch(call: OpenAIChatToolCall, options?: DispatchOptions): Promise<OpenAIToolMessage>;
}

/** A box's tools for the Responses API, and the way back. */
export interface OpenAIResponsesTools {
  readonly tools: OpenAIResponsesTool[];
  dispatch(call: OpenAIFunctionCall, options?: DispatchOptions): Promise<OpenAIFunctionCallOutput>;
}

/** What the tools are for. */
export interface OpenAIOptions<Api extends "chat" | "responses"> extends AdapterOptions {
  /** Which of the two interfaces. Default `chat`. */
  readonly api?: Api;
  /** Characters (UTF-16 units) of a tool's description before it is cut. OpenAI takes 1024, the default; others may take more. */
  readonly maxDescription?: number;
}

/** One description longer than this, and OpenAI refuses the whole request. */
const MAX_DESCRIPTION = 1024;

/** Offers tools to OpenAI's models, through Chat Completions or, with `api: "responses"`, the Responses API. */
export function toOpenAITools(source: ToolSource, options?: OpenAIOptions<"chat">): OpenAIChatTools;
export function toOpenAITools(
  source: ToolSource,
  options: OpenAIOptions<"responses"> & { readonly api: "responses" },
): OpenAIResponsesTools;
export function toOpenAITools(
  source: ToolSource,
  options: OpenAIOptions<"chat" | "responses"> = {},
): OpenAIChatTools | OpenAIResponsesTools {
  return options.api === "responses" ? forResponses(source, options) : forChat(source, options);
}

function forChat(source: ToolSource, given: OpenAIOptions<"chat" | "responses">): OpenAIChatTools {
  const tools = openAITools(source, given);
  return {
    get tools() {
      return tools.list().map((tool) => ({ type: "function" as const, function: tool }));
    },
    dispatch: async (call, options) => {
      const result = await tools.run(call.id, call.function, options);
      const words = wordsOf(portionsOf(result, given.maxBytes));
      return {
        role: "tool",
        tool_call_id: call.id,
        content: result.isError ? `Error: ${words}` : words,
      };
    },
  };
}

function forResponses(source: ToolSource, given: OpenAIOptions<"chat" | "responses">): OpenAIResponsesTools {
  const tools = openAITools(source, given);
  return {
    get tools() {
      return tools.list().map((tool) => ({ type: "function" as const, ...tool, strict: false as const }));
    },
    dispatch: async (call, options) => {
      const result = await tools.run(call.call_id, call, options);
      return {
        type: "function_call_output",
        call_id: call.call_id,
        output: responsesOutput(portionsOf(result, given.maxBytes), result.isError),
      };
    },
  };
}

/** What both interfaces have in common. */
function openAITools(
  source: ToolSource,
  { maxDescription = MAX_DESCRIPTION }: OpenAIOptions<"chat" | "responses">,
): {
  list(): OpenAIChatTool["function"][];
  run(
    id: string,
    call: OpenAIChatToolCall["function"],
    options: DispatchOptions | undefined,
  ): Promise<MCPToolCallResult>;
} {
  const box = toolBoxOf(source);
  const named = nameTools(box, "openai");
  return {
    list: () =>
      named.list().map(({ name, parameters, descriptor }) => ({
        name,
        description: shortenText(descriptor.description, maxDescription),
        parameters,
      })),
    run: async (id, call, options) => {
      const parsed = parseArguments(call.arguments);
      if (!parsed.ok)
        return { content: [{ type: "text", text: `${call.name}: ${parsed.message}` }], isError: true };
      return runCall(box, { id, name: named.nameInBox(call.name), input: parsed.input }, options);
    },
  };
}
