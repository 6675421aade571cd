import type { JsonSchema } from "../../llm/index.ts";
import type { MCPToolCallResult } from "../contract/index.ts";
import { nameTools } from "./named-tools.ts";
import { portionsOf, portionsText } from "./portions.ts";
import { type AdapterOptions, runCall, type ToolSource, toolBoxOf } from "./run-call.ts";

/** The AI SDK uses a JSON Schema with this mark unchanged. */
const MARK = Symbol.for("vercel.ai.schema");

/** A schema for the AI SDK: a Standard Schema that includes its JSON Schema. */
export interface AiSdkSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

/** The part of a result that the SDK gives to its model. */
export type AiSdkModelOutput =
  | { readonly type: "text" | "error-text"; readonly value: string }
  | {
      readonly type: "content";
      readonly value: (
        | { readonly type: "text"; readonly text: string }
        // Version 5 uses `media` for everything except text, version 6 one type for each kind.
        | {
            readonly type: "image-data" | "file-data" | "media";
            readonly data: string;
            readonly mediaType: string;
          }
      )[];
    };

/** A dynamic tool of the AI SDK: the types of its input and output are not known at compile time. */
export interface AiSdkTool {
  readonly type: "dynamic";
  readonly description: string;
  readonly title?: string;
  readonly inputSchema: AiSdkSchema;
  /** Resolves with the whole result, even if the tool failed; rejects only if the SDK aborts the call. */
  execute(
    input: unknown,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal },
  ): Promise<MCPToolCallResult>;
  /** Selects the part for the model. Version 6 passes an object with the result as `output`, version 5 the result. */
  toModelOutput(given: unknown): AiSdkModelOutput;
}

/**
 * Returns the current tools by name, for `generateText` and `streamText`. Call it again after the box changes.
 *
 * For versions 6 and 5 of the AI SDK. The types are those of version 6; version 5 needs a cast.
 */
export function toAiSdkTools(source: ToolSource, options: AdapterOptions = {}): Record<string, AiSdkTool> {
  const box = toolBoxOf(source);
  // Each provider of the SDK adapts the schema to its model, so it gets the portable form.
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
          const result = await runCall(box, call, { signal: abortSignal });
          // The SDK expects an abort to be thrown.
          abortSignal?.throwIfAborted();
          return result;
        },
        toModelOutput: (given) => modelOutput(given, options),
      },
    ]),
  );
}

/**
 * Wraps a JSON Schema for the AI SDK without importing the SDK. The SDK's mark makes the schema reach the model
 * unchanged; the Standard Schema satisfies the SDK's types. Arguments are not validated: the tool's server does that.
 */
function aiSdkSchema(jsonSchema: JsonSchema): AiSdkSchema {
  const given = (): Record<string, unknown> => jsonSchema;
  const marked = {
    [MARK]: true,
    jsonSchema,
    validate: undefined,
    "~standard": {
      version: 1 as const,
      vendor: "indusagi",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: given, output: given },
    },
  };
  return marked;
}

function modelOutput(given: unknown, { maxBytes }: AdapterOptions): AiSdkModelOutput {
  const isWrapped = isObject(given) && !isCallResult(given) && "output" in given;
  const output = isWrapped ? given.output : given;
  // The SDK also passes stored outputs, which may have another shape.
  const result = isCallResult(output) ? output : { content: [], isError: false, structuredContent: output };
  const portions = portionsOf(result, maxBytes);
  if (result.isError) return { type: "error-text", value: portionsText(portions) };
  if (portions.every((portion) => portion.kind === "text"))
    return { type: "text", value: portionsText(portions) };
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
