import { defineTool, type ToolContext } from "indusagi/capabilities";
import { CoreError } from "indusagi/core";
import { coerceArguments, explainMismatch, type JsonSchema, type ToolAnnotations } from "indusagi/llm";
import { failureResult, type ToolResult } from "indusagi/runtime";
import {
  type BuildFn,
  type Capability,
  type CapabilityCard,
  capabilityId,
  type DeckFaultKind,
  type DeckFramework,
  type HandleCall,
  type ToolEffect,
} from "../contract/index.ts";

/** What an app card is made from. `run` and `effect` get arguments that fit `parameters`. */
export interface CardSpec<Input> {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly annotations: ToolAnnotations & { readonly readOnlyHint: boolean };
  effect?(input: Input): ToolEffect;
  run(input: Input, ctx: ToolContext): Promise<ToolResult> | ToolResult;
}

/** Makes a capability. Wrong arguments and our own errors become error results that name the card. */
export function defineCard<Input>(spec: CardSpec<Input>): Capability {
  const { name, label, description, parameters, annotations } = spec;
  const tool = defineTool({
    name,
    description,
    parameters,
    title: label,
    annotations,
    run: async (input, ctx) => {
      const mismatch = explainMismatch(parameters, input);
      if (mismatch !== undefined) return failureResult(`${name}: ${mismatch}`);
      try {
        return await spec.run(input as Input, ctx);
      } catch (thrown) {
        if (ctx.signal.aborted || !CoreError.is(thrown)) throw thrown;
        return failureResult(`${name}: ${thrown.message}`);
      }
    },
  });
  return {
    name,
    label,
    description,
    parameters,
    readOnly: annotations.readOnlyHint,
    descriptor: tool.descriptor(),
    ...(spec.effect ? { effect: (input) => effectOf(spec, input) } : {}),
    run: (input, ctx) => tool.execute(input, ctx),
    invoke: (call, ctx) => tool.invoke(call, ctx),
  };
}

/** Coerces the arguments exactly as `run` does: a policy must judge the call that actually runs. */
function effectOf<Input>(spec: CardSpec<Input>, given: unknown): ToolEffect {
  const fits = (input: unknown): boolean => explainMismatch(spec.parameters, input) === undefined;
  try {
    const input = fits(given) ? given : coerceArguments(spec.parameters, given);
    if (spec.effect && fits(input)) return spec.effect(input as Input);
  } catch {
    // Nested too deeply.
  }
  return { readOnly: false };
}

/** The catalog row of an app card. App cards are in the profile `all` only. */
export function appCard(row: {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly build: BuildFn;
}): CapabilityCard {
  const { id, title, summary, build } = row;
  return Object.freeze({
    id: capabilityId(id),
    title,
    summary,
    profiles: Object.freeze(["all" as const]),
    build,
  });
}

/** The part of a call that a handle may use. */
export function handleCall({ signal, caller }: ToolContext): HandleCall {
  return caller ? { signal, caller } : { signal };
}

/** The structured answer of a card whose handle is absent. */
export interface MissingHandle {
  readonly fault: Extract<DeckFaultKind, "backend">;
  readonly handle: keyof DeckFramework;
}

/** The answer of a card that this session has no handle for. Programs recognise it by `structured`. */
export function missingHandle(handle: keyof DeckFramework, message: string): ToolResult {
  const structured: MissingHandle = { fault: "backend", handle };
  return { ...failureResult(message), structured };
}
