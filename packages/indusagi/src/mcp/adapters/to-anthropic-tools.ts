import { nameTools, type ObjectSchema } from "./named-tools.ts";
import { describeMedia, isCommonImage, type Portion, portionsOf } from "./portions.ts";
import {
  type AdapterOptions,
  type DispatchOptions,
  runCall,
  type ToolSource,
  toolBoxOf,
} from "./run-call.ts";

/** A tool of the Messages API. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: ObjectSchema;
}

/** A model's tool call: a content block of its message. */
export interface AnthropicToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** A content block of a tool's result. */
export type AnthropicResultContent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      readonly source: {
        readonly type: "base64";
        readonly media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
        readonly data: string;
      };
    }
  | {
      readonly type: "document";
      readonly source: {
        readonly type: "base64";
        readonly media_type: "application/pdf";
        readonly data: string;
      };
    };

/** The answer: a content block of the next user message. */
export interface AnthropicToolResult {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: AnthropicResultContent[];
  readonly is_error?: true;
}

/** Tools for the Messages API, and a function that runs the model's calls. */
export interface AnthropicTools {
  /** The current tools. Read it again after the box changes. */
  readonly tools: AnthropicTool[];
  /** Runs a tool call from the model. Always resolves. */
  dispatch(use: AnthropicToolUse, options?: DispatchOptions): Promise<AnthropicToolResult>;
}

/** Offers tools to Anthropic's Messages API. */
export function toAnthropicTools(source: ToolSource, options: AdapterOptions = {}): AnthropicTools {
  const box = toolBoxOf(source);
  const named = nameTools(box, "anthropic");
  return {
    get tools() {
      return named.list().map(({ name, parameters, descriptor }) => ({
        name,
        description: descriptor.description,
        input_schema: parameters,
      }));
    },
    dispatch: async ({ id, name, input }, dispatchOptions) => {
      const result = await runCall(box, { id, name: named.nameInBox(name), input }, dispatchOptions);
      const portions = portionsOf(result, options.maxBytes);
      const answer = { type: "tool_result", tool_use_id: id } as const;
      // An error result may hold only text.
      return result.isError
        ? { ...answer, content: portions.map(asText), is_error: true }
        : { ...answer, content: portions.map(render) };
    },
  };
}

function asText(portion: Portion): AnthropicResultContent {
  return { type: "text", text: portion.kind === "text" ? portion.text : describeMedia(portion) };
}

function render(portion: Portion): AnthropicResultContent {
  if (portion.kind === "text") return asText(portion);
  const { data } = portion;
  const media_type = portion.mimeType.toLowerCase();
  if (isCommonImage(portion))
    return { type: "image", source: { type: "base64", media_type, data } } as AnthropicResultContent;
  if (media_type === "application/pdf")
    return { type: "document", source: { type: "base64", media_type, data } };
  return asText(portion);
}
