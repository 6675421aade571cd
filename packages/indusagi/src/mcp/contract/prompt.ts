import type { MCPContentBlock } from "./content.ts";

/** An argument of a prompt. */
export interface MCPPromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** A prompt that a server lists. */
export interface MCPPrompt {
  readonly name: string;
  readonly description?: string;
  readonly arguments?: readonly MCPPromptArgument[];
  /** The display name. */
  readonly title?: string;
}

/** The messages of a prompt, with its arguments filled in. */
export interface MCPPromptResult {
  readonly description?: string;
  readonly messages: readonly {
    readonly role: "user" | "assistant";
    readonly content: MCPContentBlock;
  }[];
}

/** Asks for values for an argument of a prompt or of a resource template. */
export interface MCPCompletionRequest {
  readonly ref:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  /** The arguments that already have a value. */
  readonly context?: { readonly arguments?: { readonly [argument: string]: string } };
}

/** Suggested values. */
export interface MCPCompletion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}
