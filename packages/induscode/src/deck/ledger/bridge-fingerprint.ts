import { contentHash } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";
import { selfDescription } from "./tool-self-description.ts";

/**
 * 32 hex digits that change with the title, description, annotations, input schema or output schema of a tool. The key
 * identifies a tool; the fingerprint shows whether an approved tool has changed since.
 */
export function bridgeFingerprint(descriptor: ToolDescriptor): string {
  return contentHash(selfDescription(descriptor));
}
