import { contentHash } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";
import { toolListing } from "./tool-self-description.ts";

/**
 * 32 hex digits that change when a tool changes anything it says about itself: title, description, annotations, input or
 * output schema. The key tells tools apart; the fingerprint tells whether an approved one still is what was approved.
 */
export function bridgeFingerprint(descriptor: ToolDescriptor): string {
  return contentHash(toolListing(descriptor));
}
