import type { MCPContentBlock } from "./content.ts";

/** A server wants a model to be run for it: the protocol's own parameters, and who asks. */
export interface MCPSamplingRequest {
  readonly serverName: string;
  readonly messages: readonly unknown[];
  readonly maxTokens?: number;
  readonly systemPrompt?: string;
  readonly [member: string]: unknown;
}

/** What the model said. */
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
