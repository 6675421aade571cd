import { contentHash, mintUlid } from "indusagi/core";
import { wireName } from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import { toolListing } from "./tool-self-description.ts";

declare const vetted: unique symbol;

/** What an enrolled capability is known by. Only the minters here and `isBridgeKey` make one: no text is a key by chance. */
export type BridgeKey = string & { readonly [vetted]: true };

const FORM = /^bk_(?:[0-9a-f]{32}|[0-9A-HJKMNP-TV-Z]{26})$/;

/** Whether a text, e.g. one read from a file, has the form of a key. */
export function isBridgeKey(text: unknown): text is BridgeKey {
  return typeof text === "string" && FORM.test(text);
}

/**
 * The key of a tool as what it is: a hash of its wire name and its schema as received. The same tool has the same key in
 * every session; a tool whose schema changed is another tool. No schema is not the same as an empty one.
 */
export function bridgeContentKey(server: string, tool: string, schema?: unknown): BridgeKey {
  return keyOf(wireName({ server, name: tool }), schema);
}

/** A key no other has, greater than all before it: for enrollments that are each an event of their own. */
export function bridgeUlidKey(): BridgeKey {
  return `bk_${mintUlid()}` as BridgeKey;
}

/** The content key of a tool that is in hand. It has its wire name already, perhaps one cut shorter than usual. */
export function descriptorKey(descriptor: ToolDescriptor): BridgeKey {
  return keyOf(descriptor.name, toolListing(descriptor).inputSchema);
}

function keyOf(name: string, schema: unknown): BridgeKey {
  return `bk_${contentHash({ name, schema: schema ?? null })}` as BridgeKey;
}
