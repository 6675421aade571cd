import { mintUlid } from "../../core/index.ts";
import type { MCPToolCallResult } from "../contract/index.ts";
import { type NamedTool, nameTools, type ObjectSchema } from "./named-tools.ts";
import { isCommonImage, type MediaPortion, type Portion, portionsOf, wordsOf } from "./portions.ts";
import { type AdapterOptions, type DispatchOptions, runCall } from "./run-call.ts";
import { type ToolSource, toolBoxOf } from "./tool-source.ts";

/** A function as Gemini's models are told of it. */
export interface GeminiFunctionDeclaration {
  readonly name: string;
  readonly description: string;
  /** Absent for a tool without parameters: an object schema without properties is refused. */
  readonly parameters?: ObjectSchema;
}

/** A model's request to run a function. */
export interface GeminiFunctionCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: { readonly [name: string]: unknown };
}

/** The answer to it: a part of the next turn. */
export interface GeminiFunctionResponsePart {
  readonly functionResponse: {
    readonly id?: string;
    readonly name: string;
    readonly response: { readonly output: string } | { readonly error: string };
    /** Pictures and documents. */
    readonly parts?: { readonly inlineData: { readonly mimeType: string; readonly data: string } }[];
  };
}

/** A box's tools for the Gemini API, and the way back. */
export interface GeminiTools {
  /** The tools as they are now; ask again after a change of the box. */
  readonly tools: { readonly functionDeclarations: GeminiFunctionDeclaration[] }[];
  /** Runs what a model asked for. Always resolves. */
  dispatch(call: GeminiFunctionCall, options?: DispatchOptions): Promise<GeminiFunctionResponsePart>;
}

export interface GeminiOptions extends AdapterOptions {
  /** Send pictures and documents along with an answer. Models before Gemini 3 take none: false for those. Default true. */
  readonly media?: boolean;
}

/** Offers tools to Gemini's models. */
export function toGeminiTools(source: ToolSource, options: GeminiOptions = {}): GeminiTools {
  const box = toolBoxOf(source);
  const named = nameTools(box, "gemini");
  return {
    get tools() {
      const functionDeclarations = named.list().map(declare);
      // A list of none is refused.
      return functionDeclarations.length > 0 ? [{ functionDeclarations }] : [];
    },
    dispatch: async (call, dispatchOptions) => {
      const { id, name = "", args = {} } = call;
      const boxCall = { id: id ?? mintUlid(), name: named.nameInBox(name), input: args };
      const result = await runCall(box, boxCall, dispatchOptions);
      return { functionResponse: { ...(id === undefined ? {} : { id }), name, ...answer(result, options) } };
    },
  };
}

function declare({ name, parameters, descriptor }: NamedTool): GeminiFunctionDeclaration {
  const hasParameters = Object.keys(parameters["properties"] ?? {}).length > 0;
  return { name, description: descriptor.description, ...(hasParameters ? { parameters } : {}) };
}

type Answer = Pick<GeminiFunctionResponsePart["functionResponse"], "response" | "parts">;

function answer(result: MCPToolCallResult, { maxBytes, media = true }: GeminiOptions): Answer {
  const portions = portionsOf(result, maxBytes);
  const shown = media ? portions.filter(isShown) : [];
  const told = portions.filter((portion) => !media || !isShown(portion));
  const words = told.length > 0 ? wordsOf(told) : "see the attached parts";
  return {
    response: result.isError ? { error: words } : { output: words },
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
