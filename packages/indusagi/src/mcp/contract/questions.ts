import type { JsonSchema } from "../../llm/index.ts";
import type { MCPContentBlock } from "./content.ts";

/** A server's request for input from the user. */
export interface MCPElicitRequest {
  readonly serverName: string;
  /** The text to show to the user. */
  readonly message: string;
  /** Default `form`. */
  readonly mode?: "form" | "url";
  /** The fields of a form. */
  readonly requestedSchema?: JsonSchema;
  /** The page to open in `url` mode. */
  readonly url?: string;
  readonly elicitationId?: string;
}

/** The user's answer. */
export interface MCPElicitResult {
  readonly action: "accept" | "decline" | "cancel";
  /** The fields of an accepted form. */
  readonly content?: { readonly [field: string]: unknown };
}

/** Shows a server's request to the user. */
export type MCPElicitationHandler = (
  request: MCPElicitRequest,
  signal?: AbortSignal,
) => Promise<MCPElicitResult>;

/** A server's request to run a model: the protocol's parameters and the name of the server. */
export interface MCPSamplingRequest {
  readonly serverName: string;
  readonly messages: readonly unknown[];
  readonly maxTokens?: number;
  readonly systemPrompt?: string;
  readonly [member: string]: unknown;
}

/** The model's answer. */
export interface MCPSamplingResult {
  readonly role: "assistant";
  readonly content: MCPContentBlock | readonly MCPContentBlock[];
  readonly model: string;
  readonly stopReason?: string;
}

/** Runs a model for a server. */
export type MCPSamplingHandler = (
  request: MCPSamplingRequest,
  signal?: AbortSignal,
) => Promise<MCPSamplingResult>;

/** Handlers for a server's requests. The server learns which ones exist when it is connected. */
export interface MCPQuestionHandlers {
  /** Without it, servers learn that the user cannot be asked. */
  readonly elicitation?: MCPElicitationHandler;
  /** Without it, servers learn that no model can be run for them. */
  readonly sampling?: MCPSamplingHandler;
}
