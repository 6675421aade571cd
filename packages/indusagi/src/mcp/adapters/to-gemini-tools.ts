import { mintUlid } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import type { MCPToolCallResult } from "../contract/index.ts";
import { type NamedTool, nameTools, type ObjectSchema } from "./named-tools.ts";
import { isCommonImage, type MediaPortion, type Portion, portionsOf, portionsText } from "./portions.ts";
import {
  type AdapterOptions,
  type DispatchOptions,
  runCall,
  type ToolSource,
  toolBoxOf,
} from "./run-call.ts";

/** A function declaration of the Gemini API. */
export interface GeminiFunctionDeclaration {
  readonly name: string;
  readonly description: string;
  /** Absent for a tool without parameters: Gemini refuses an object schema without properties. */
  readonly parameters?: ObjectSchema;
}

/** A model's function call. */
export interface GeminiFunctionCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: { readonly [name: string]: unknown };
}

/** The answer: a part of the next turn. */
export interface GeminiFunctionResponsePart {
  readonly functionResponse: {
    readonly id?: string;
    readonly name: string;
    readonly response: { readonly output: string } | { readonly error: string };
    /** Images and documents. */
    readonly parts?: { readonly inlineData: { readonly mimeType: string; readonly data: string } }[];
  };
}

/** Tools for the Gemini API, and a function that runs the model's calls. */
export interface GeminiTools {
  /** The current tools. Read it again after the box changes. */
  readonly tools: { readonly functionDeclarations: GeminiFunctionDeclaration[] }[];
  /** Runs a tool call from the model. Always resolves. */
  dispatch(call: GeminiFunctionCall, options?: DispatchOptions): Promise<GeminiFunctionResponsePart>;
}

export interface GeminiOptions extends AdapterOptions {
  /** Send images and documents with an answer. Set it to false for models before Gemini 3. Default true. */
  readonly media?: boolean;
}

/** Offers tools to Gemini's models. */
export function toGeminiTools(source: ToolSource, options: GeminiOptions = {}): GeminiTools {
  const box = toolBoxOf(source);
  const named = nameTools(box, "gemini");
  return {
    get tools() {
      const functionDeclarations = named.list().map(declare);
      // Gemini refuses an empty list.
      return functionDeclarations.length > 0 ? [{ functionDeclarations }] : [];
    },
    dispatch: async (call, dispatchOptions) => {
      const { id, name = "", args = {} } = call;
      const boxCall = { id: id ?? mintUlid(), name: named.nameInBox(name), input: args };
      const result = await runCall(box, boxCall, dispatchOptions);
      return { functionResponse: definedMembers({ id, name, ...answer(result, options) }) };
    },
  };
}

function declare({ name, parameters, descriptor }: NamedTool): GeminiFunctionDeclaration {
  const hasParameters = Object.keys(parameters["properties"] ?? {}).length > 0;
  return definedMembers({
    name,
    description: descriptor.description,
    parameters: hasParameters ? parameters : undefined,
  });
}

type Answer = Pick<GeminiFunctionResponsePart["functionResponse"], "response" | "parts">;

function answer(result: MCPToolCallResult, { maxBytes, media = true }: GeminiOptions): Answer {
  const portions = portionsOf(result, maxBytes);
  const shown = media ? portions.filter(isShown) : [];
  const rest = portions.filter((portion) => !media || !isShown(portion));
  const text = rest.length > 0 ? portionsText(rest) : "see the attached parts";
  return {
    response: result.isError ? { error: text } : { output: text },
    ...(shown.length > 0
      ? { parts: shown.map(({ mimeType, data }) => ({ inlineData: { mimeType, data } })) }
      : {}),
  };
}

function isShown(portion: Portion): portion is MediaPortion {
  if (portion.kind !== "media") return false;
  return (
    portion.mimeType === "application/pdf" || (isCommonImage(portion) && portion.mimeType !== "image/gif")
  );
}
