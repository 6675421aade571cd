import type { DefinedTool, ToolContext } from "indusagi/capabilities";
import type { JsonSchema, ToolDescriptor } from "indusagi/llm";
import { jsonResult, type ToolCall, type ToolOutcome, type ToolResult, textResult } from "indusagi/runtime";
import { type Card, readerEnvironmentOf, type ToolEffect } from "../contract/index.ts";
import { annotatedEffect } from "./annotated-effect.ts";

/** How the deck presents a native tool. */
export interface BuiltinLabel {
  /** A display name. */
  readonly title: string;
  readonly readOnly: boolean;
}

/** A native tool as a card. The card adds only what the deck displays. */
export class BuiltinCard implements Card {
  readonly descriptor: ToolDescriptor;
  readonly label: string;
  readonly readOnly: boolean;
  readonly #tool: DefinedTool;

  constructor(tool: DefinedTool, { title, readOnly }: BuiltinLabel) {
    this.#tool = tool;
    this.descriptor = tool.descriptor();
    this.label = title;
    this.readOnly = readOnly;
  }

  get name(): string {
    return this.descriptor.name;
  }

  get description(): string {
    return this.descriptor.description;
  }

  get parameters(): JsonSchema {
    return this.descriptor.parameters;
  }

  effect(input: unknown): ToolEffect {
    return annotatedEffect(this.descriptor, input);
  }

  /** Runs one call and returns its result. Keeps the id of the context's call, if there is one. */
  async run(input: unknown, ctx: ToolContext): Promise<ToolResult> {
    const outcome = await this.#tool.invoke(this.#callFor(input, ctx), withReaderShell(ctx));
    // Our tools always set `result`; a tool written for an older contract may not.
    return outcome.result ?? projectOutcome(outcome);
  }

  invoke(call: ToolCall, ctx: ToolContext): Promise<ToolOutcome> {
    return this.#tool.invoke(call, withReaderShell(ctx));
  }

  #callFor(input: unknown, ctx: Partial<Pick<ToolContext, "call">>): ToolCall {
    return { id: `${this.name}-builtin`, ...ctx.call, name: this.name, input };
  }
}

/** A command allowed only because it reads runs in the environment that keeps it read-only. */
function withReaderShell(ctx: ToolContext): ToolContext {
  const environment = readerEnvironmentOf(ctx.call);
  if (!environment) return ctx;
  const { shell, signal } = ctx;
  return {
    ...ctx,
    shell: {
      exec: async (command, options) => {
        const env = { ...options?.env, ...(await environment(signal)) };
        return shell.exec(command, { ...options, env });
      },
      spawn: async () => {
        throw new Error("a command that only reads does not run in the background");
      },
    },
  };
}

function projectOutcome({ output, isError }: ToolOutcome): ToolResult {
  const result = typeof output === "string" ? textResult(output) : jsonResult(output);
  return isError ? { ...result, isError } : result;
}
