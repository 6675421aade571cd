import { contentHash, mintUlid } from "indusagi/core";
import { QUALIFIER, qualifyToolName, wireName } from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import { selfDescription } from "./tool-self-description.ts";

declare const vetted: unique symbol;

/** Identifies an enrolled capability. Only the functions in this file make one, so no other text passes for a key. */
export type BridgeKey = string & { readonly [vetted]: true };

const FORM = /^bk_(?:[0-9a-f]{32}|[0-9A-HJKMNP-TV-Z]{26})$/;

/** Whether a value, for example one read from a file, has the form of a key. */
export function isBridgeKey(text: unknown): text is BridgeKey {
  return typeof text === "string" && FORM.test(text);
}

/**
 * A key made from the content: a hash of the tool's wire name and its schema as received. The same tool has the same key
 * in every session, and a new key when its schema changes. A missing schema differs from an empty one.
 */
export function bridgeContentKey(server: string, tool: string, schema?: unknown): BridgeKey {
  return keyOf(wireName({ server, name: tool }), schema);
}

/** A unique, increasing key, for enrollments that must not replace each other. */
export function bridgeUlidKey(): BridgeKey {
  return `bk_${mintUlid()}` as BridgeKey;
}

/**
 * The content key of a mounted tool. A descriptor may show a shorter name; the key is made from the 64-character one, so it
 * does not depend on the limit.
 */
export function descriptorKey(descriptor: ToolDescriptor): BridgeKey {
  const known = keys.get(descriptor);
  if (known !== undefined) return known;
  const { name, origin } = descriptor;
  const { inputSchema } = selfDescription(descriptor);
  const key = origin ? bridgeContentKey(origin.server, origin.tool, inputSchema) : keyOf(name, inputSchema);
  keys.set(descriptor, key);
  return key;
}

/** An unchanged tool keeps its descriptor, so its hash is computed once. */
const keys = new WeakMap<ToolDescriptor, BridgeKey>();

function keyOf(name: string, schema: unknown): BridgeKey {
  return `bk_${contentHash({ name, schema: schema ?? null })}` as BridgeKey;
}

/** `server__tool`, as in the sister editions. Calls are never routed by it. */
export function qualifyBridgeName(server: string, tool: string): string {
  return qualifyToolName({ server, name: tool });
}

/**
 * The part of a name before the first `__`, or `""`. For display only: a server's id may contain `__` itself, so the owner
 * of a tool is looked up in the ledger, never taken from its name.
 */
export function serverOfQualified(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf(QUALIFIER)));
}

/**
 * 32 hex digits that change with the title, description, annotations, input schema or output schema of a tool. The key
 * identifies a tool; the fingerprint shows whether an approved tool has changed since.
 */
export function bridgeFingerprint(descriptor: ToolDescriptor): string {
  return contentHash(selfDescription(descriptor));
}
