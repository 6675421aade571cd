import { mintUlid } from "../../core/index.ts";
import type { MCPToolCallResult } from "../contract/index.ts";
import { type NamedTool, nameTools, type ObjectSchema } from "./named-tools.ts";
import { isCommonImage, mediaInWords, type Portion, portionsOf, wordsOf } from "./portions.ts";
import { type AdapterOptions, runCall } from "./run-call.ts";
import { type ToolSource, toolBoxOf } from "./tool-source.ts";

/** What a tool's message may hold when it is more than text. */
export type LangChainContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } };

/** The part of LangChain's run configuration that is looked at. */
export interface LangChainConfig {
  readonly signal?: AbortSignal;
  readonly toolCall?: { readonly id?: string };
}

/** What LangChain's `DynamicStructuredTool` is made of. Models can be bound to it as it is. */
export interface LangChainToolFields {
  name: string;
  description: string;
  schema: ObjectSchema;
  responseFormat: "content_and_artifact";
  /** Resolves with what the model reads and the whole answer; rejects only when the run is aborted. */
  func: (
    input: unknown,
    runManager?: unknown,
    config?: LangChainConfig,
  ) => Promise<[content: string | LangChainContent[], artifact: MCPToolCallResult]>;
}

/**
 * The tools for LangChain. Given LangChain's own class, real tools: `toLangChainTools(box, DynamicStructuredTool)`;
 * without it, what such tools are made of. A failure of a tool is an answer that begins with `Error:`, and its
 * artifact says so.
 */
export function toLangChainTools(source: ToolSource, options?: AdapterOptions): LangChainToolFields[];
export function toLangChainTools<Tool>(
  source: ToolSource,
  toolClass: new (fields: LangChainToolFields) => Tool,
  options?: AdapterOptions,
): Tool[];
export function toLangChainTools<Tool>(
  source: ToolSource,
  given?: AdapterOptions | (new (fields: LangChainToolFields) => Tool),
  options?: AdapterOptions,
): LangChainToolFields[] | Tool[] {
  const { maxBytes } = (typeof given === "function" ? options : given) ?? {};
  const box = toolBoxOf(source);
  const run = async (
    tool: NamedTool,
    input: unknown,
    config: LangChainConfig = {},
  ): Promise<MCPToolCallResult> => {
    const call = { id: config.toolCall?.id ?? mintUlid(), name: tool.descriptor.name, input };
    const result = await runCall(box, call, config.signal ? { signal: config.signal } : {});
    config.signal?.throwIfAborted();
    return result;
  };
  const fields = nameTools(box, "portable")
    .list()
    .map(
      (tool): LangChainToolFields => ({
        name: tool.name,
        description: tool.descriptor.description,
        schema: tool.parameters,
        responseFormat: "content_and_artifact",
        func: async (input, _runManager, config) => {
          const result = await run(tool, input, config);
          return [messageContent(portionsOf(result, maxBytes), result.isError), result];
        },
      }),
    );
  return typeof given === "function" ? fields.map((one) => new given(one)) : fields;
}

function messageContent(portions: readonly Portion[], isError: boolean): string | LangChainContent[] {
  if (isError) return `Error: ${wordsOf(portions)}`;
  if (portions.every((portion) => portion.kind === "text" || !isCommonImage(portion)))
    return wordsOf(portions);
  return portions.map((portion) => {
    if (portion.kind === "text") return { type: "text", text: portion.text };
    if (!isCommonImage(portion)) return { type: "text", text: mediaInWords(portion) };
    return { type: "image_url", image_url: { url: `data:${portion.mimeType};base64,${portion.data}` } };
  });
}
