import type { ToolDescriptor } from "../contract/index.ts";

/** Tokenizers differ. For English text and JSON most of them make one token of about four bytes. */
const BYTES_PER_TOKEN = 4;

/** An estimate of the tokens that a model needs for a text: one token for four bytes of UTF-8. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** An estimate of the tokens that the definition of a tool costs in each request: its name, description and parameters. */
export function estimateToolTokens({
  name,
  description,
  parameters,
}: Pick<ToolDescriptor, "name" | "description" | "parameters">): number {
  return estimateTokens(JSON.stringify({ name, description, parameters }));
}
