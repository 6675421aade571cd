import { shortenText } from "../../core/index.ts";
import type { MCPToolCallResult } from "../contract/index.ts";
import { nameTools, type ObjectSchema } from "./named-tools.ts";
import { describeMedia, isCommonImage, type Portion, portionsOf, portionsText } from "./portions.ts";
import {
  type AdapterOptions,
  type DispatchOptions,
  parseCallArguments,
  runCall,
  type ToolSource,
  toolBoxOf,
} from "./run-call.ts";

/** A tool of Chat Completions. */
export interface OpenAIChatTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: ObjectSchema;
  };
}

/** A model's tool call in a chat completion. */
export interface OpenAIChatToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The answer: the next message of the chat. It holds only text. */
export interface OpenAIToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly content: string;
}

/** A tool of the Responses API. */
export interface OpenAIResponsesTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: ObjectSchema;
  /** Strict mode requires every property, so it has no optional ones. */
  readonly strict: false;
}

/** A model's tool call in a response: an output item. */
export interface OpenAIFunctionCall {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

/** One part of the output of a function call. */
export type OpenAIOutputPart =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "input_image"; readonly image_url: string; readonly detail: "auto" }
  | { readonly type: "input_file"; readonly file_data: string; readonly filename: string };

/** The answer: an input item of the next request. */
export interface OpenAIFunctionCallOutput {
  readonly type: "function_call_output";
  readonly call_id: string;
  readonly output: string | OpenAIOutputPart[];
}

/** Tools for Chat Completions, and a function that runs the model's calls. */
export interface OpenAIChatTools {
  /** The current tools. Read it again after the box changes. */
  readonly tools: OpenAIChatTool[];
  /** Runs a tool call from the model. Always resolves. */
  dispatch(call: OpenAIChatToolCall, options?: DispatchOptions): Promise<OpenAIToolMessage>;
}

/** Tools for the Responses API, and a function that runs the model's calls. */
export interface OpenAIResponsesTools {
  readonly tools: OpenAIResponsesTool[];
  dispatch(call: OpenAIFunctionCall, options?: DispatchOptions): Promise<OpenAIFunctionCallOutput>;
}

export interface OpenAIOptions<Api extends "chat" | "responses"> extends AdapterOptions {
  /** Default `chat`. */
  readonly api?: Api;
  /** The most UTF-16 units of a tool's description. Default 1024, OpenAI's limit; other providers may accept more. */
  readonly maxDescription?: number;
}

/** OpenAI refuses the whole request if one description is longer. */
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
      const text = portionsText(portionsOf(result, given.maxBytes));
      return {
        role: "tool",
        tool_call_id: call.id,
        content: result.isError ? `Error: ${text}` : text,
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

/** The part that both interfaces share. */
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
      const parsed = parseCallArguments(call.arguments);
      if (!parsed.ok)
        return { content: [{ type: "text", text: `${call.name}: ${parsed.message}` }], isError: true };
      return runCall(box, { id, name: named.nameInBox(call.name), input: parsed.input }, options);
    },
  };
}

/** The output for the Responses API: one text if there is only text, else a list of parts. */
function responsesOutput(portions: readonly Portion[], isError: boolean): string | OpenAIOutputPart[] {
  const prefix = isError ? "Error: " : "";
  const parts = portions.map(outputPart);
  if (parts.every((part) => part.type === "input_text")) return `${prefix}${portionsText(portions)}`;
  return isError ? [{ type: "input_text", text: prefix.trim() }, ...parts] : parts;
}

function outputPart(portion: Portion): OpenAIOutputPart {
  if (portion.kind === "text") return { type: "input_text", text: portion.text };
  const url = `data:${portion.mimeType};base64,${portion.data}`;
  if (isCommonImage(portion)) return { type: "input_image", image_url: url, detail: "auto" };
  if (portion.mimeType === "application/pdf") {
    return { type: "input_file", file_data: url, filename: "result.pdf" };
  }
  return { type: "input_text", text: describeMedia(portion) };
}
