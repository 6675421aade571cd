import type { MCPContentBlock } from "./content.ts";

/** What a prompt asks for before it can be written out. */
export interface MCPPromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** A text that a server offers to write out. */
export interface MCPPrompt {
  readonly name: string;
  readonly description?: string;
  readonly arguments?: readonly MCPPromptArgument[];
  /** A name for people. */
  readonly title?: string;
}

/** A prompt written out. */
export interface MCPPromptResult {
  readonly description?: string;
  readonly messages: readonly {
    readonly role: "user" | "assistant";
    readonly content: MCPContentBlock;
  }[];
}

/** What is to be completed: an argument of a prompt or of a resource template. */
export interface MCPCompletionRequest {
  readonly ref:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  /** Arguments that are filled in already. */
  readonly context?: { readonly arguments?: { readonly [argument: string]: string } };
}

/** What could stand there. */
export interface MCPCompletion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}
