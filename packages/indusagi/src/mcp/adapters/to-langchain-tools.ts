import { mintUlid } from "../../core/index.ts";
import type { MCPToolCallResult } from "../contract/index.ts";
import { type NamedTool, nameTools, type ObjectSchema } from "./named-tools.ts";
import { describeMedia, isCommonImage, type Portion, portionsOf, portionsText } from "./portions.ts";
import { type AdapterOptions, runCall, type ToolSource, toolBoxOf } from "./run-call.ts";

/** One part of a tool message that holds more than text. */
export type LangChainContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } };

/** The part of LangChain's run configuration that is used. */
export interface LangChainConfig {
  readonly signal?: AbortSignal;
  readonly toolCall?: { readonly id?: string };
}

/** The fields of LangChain's `DynamicStructuredTool`. Models can also be bound to this object directly. */
export interface LangChainToolFields {
  name: string;
  description: string;
  schema: ObjectSchema;
  responseFormat: "content_and_artifact";
  /** Resolves with the content for the model and the whole result; rejects only if the run is aborted. */
  func: (
    input: unknown,
    runManager?: unknown,
    config?: LangChainConfig,
  ) => Promise<[content: string | LangChainContent[], artifact: MCPToolCallResult]>;
}

/**
 * Returns the tools for LangChain: instances of the given class, e.g. `toLangChainTools(box, DynamicStructuredTool)`, or
 * without a class the fields of such tools. If a tool fails, its content begins with `Error:` and its artifact has
 * `isError`.
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
    const result = await runCall(box, call, { signal: config.signal });
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
  if (isError) return `Error: ${portionsText(portions)}`;
  if (portions.every((portion) => portion.kind === "text" || !isCommonImage(portion)))
    return portionsText(portions);
  return portions.map((portion) => {
    if (portion.kind === "text") return { type: "text", text: portion.text };
    if (!isCommonImage(portion)) return { type: "text", text: describeMedia(portion) };
    return { type: "image_url", image_url: { url: `data:${portion.mimeType};base64,${portion.data}` } };
  });
}
