import type { ToolDescriptor } from "../contract/index.ts";

/** Tokenizers differ. For English and JSON most make one token of about four bytes. */
const BYTES_PER_TOKEN = 4;

/** Estimates the tokens of a text: one token for four bytes of UTF-8. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Estimates the tokens that a tool's definition costs in each request: its name, description and parameters. */
export function estimateToolTokens({
  name,
  description,
  parameters,
}: Pick<ToolDescriptor, "name" | "description" | "parameters">): number {
  return estimateTokens(JSON.stringify({ name, description, parameters }));
}
