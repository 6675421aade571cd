import type { MCPToolCallResult } from "../contract/index.ts";
import { type AiSdkSchema, aiSdkSchema } from "./ai-sdk-schema.ts";
import { nameTools } from "./named-tools.ts";
import { portionsOf, wordsOf } from "./portions.ts";
import { type AdapterOptions, runCall } from "./run-call.ts";
import { type ToolSource, toolBoxOf } from "./tool-source.ts";

/** What the SDK is told to put before its model. */
export type AiSdkModelOutput =
  | { readonly type: "text" | "error-text"; readonly value: string }
  | {
      readonly type: "content";
      readonly value: (
        | { readonly type: "text"; readonly text: string }
        // Version 5 has `media` for all that is no text, version 6 a name for each kind.
        | {
            readonly type: "image-data" | "file-data" | "media";
            readonly data: string;
            readonly mediaType: string;
          }
      )[];
    };

/** A tool as the AI SDK takes it: one whose types are not known before it runs. */
export interface AiSdkTool {
  readonly type: "dynamic";
  readonly description: string;
  readonly title?: string;
  readonly inputSchema: AiSdkSchema;
  /** Resolves with the whole answer, a failure of the tool included; rejects only when the SDK aborts. */
  execute(
    input: unknown,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal },
  ): Promise<MCPToolCallResult>;
  /** The part of it that the model reads. Version 6 gives an object with the answer as `output`, version 5 the answer. */
  toModelOutput(given: unknown): AiSdkModelOutput;
}

/**
 * The tools by name, as `generateText` and `streamText` take them. As they are now: ask again after a change of the box.
 *
 * For versions 6 and 5 of the AI SDK. The types are version 6's: under version 5 the tools work, and want a cast.
 */
export function toAiSdkTools(source: ToolSource, options: AdapterOptions = {}): Record<string, AiSdkTool> {
  const box = toolBoxOf(source);
  // The SDK's providers each project the schema for their own model: the portable form is what they start from.
  const tools = nameTools(box, "portable").list();
  return Object.fromEntries(
    tools.map(({ name, parameters, descriptor }): [string, AiSdkTool] => [
      name,
      {
        type: "dynamic",
        description: descriptor.description,
        ...(descriptor.title === undefined ? {} : { title: descriptor.title }),
        inputSchema: aiSdkSchema(parameters),
        execute: async (input, { toolCallId, abortSignal }) => {
          const call = { id: toolCallId, name: descriptor.name, input };
          const result = await runCall(box, call, abortSignal ? { signal: abortSignal } : {});
          // The SDK stops the whole run on an abort, and knows one by its being thrown.
          abortSignal?.throwIfAborted();
          return result;
        },
        toModelOutput: (given) => modelOutput(given, options),
      },
    ]),
  );
}

function modelOutput(given: unknown, { maxBytes }: AdapterOptions): AiSdkModelOutput {
  const isWrapped = isObject(given) && !isCallResult(given) && "output" in given;
  const output = isWrapped ? given.output : given;
  // The SDK also shows outputs that were kept elsewhere, e.g. an older program's.
  const result = isCallResult(output) ? output : { content: [], isError: false, structuredContent: output };
  const portions = portionsOf(result, maxBytes);
  if (result.isError) return { type: "error-text", value: wordsOf(portions) };
  if (portions.every((portion) => portion.kind === "text")) return { type: "text", value: wordsOf(portions) };
  return {
    type: "content",
    value: portions.map((portion) => {
      if (portion.kind === "text") return { type: "text", text: portion.text };
      const kind = portion.mimeType.startsWith("image/") ? "image-data" : "file-data";
      return { type: isWrapped ? kind : "media", data: portion.data, mediaType: portion.mimeType };
    }),
  };
}

function isCallResult(output: unknown): output is MCPToolCallResult {
  return isObject(output) && "content" in output && Array.isArray(output.content);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
