import { bytesHash, cutText } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";
import { bridgeFingerprint } from "../../ledger/index.ts";

/** Longer descriptions are cut. In UTF-16 units; real ones have a few thousand. */
export const MAX_DESCRIPTION_UNITS: number = 64 * 1024;
/** Longer descriptors, as JSON, are cut. */
const MAX_DESCRIPTOR_UNITS: number = 1024 * 1024;

/** The hash and size of a descriptor that was too large to store whole. */
export interface BodyCut {
  readonly fingerprint: string;
  readonly units: number;
}

/** A descriptor as it is stored. */
export interface StoredBody {
  /** A hash of the whole descriptor. Entries refer to it. */
  readonly id: string;
  readonly tool: ToolDescriptor;
  /** Present if `tool` is only a part. */
  readonly cut?: BodyCut;
}

/** An unchanged tool keeps its descriptor, so its hash is computed once. */
const ids = new WeakMap<ToolDescriptor, string>();

/** The id of a descriptor. Throws if the descriptor is not JSON. */
export function bodyId(descriptor: ToolDescriptor): string {
  const known = ids.get(descriptor);
  if (known !== undefined) return known;
  const id = bytesHash(JSON.stringify(descriptor)).slice(0, 32);
  ids.set(descriptor, id);
  return id;
}

/** A descriptor as it is stored: whole, or cut if its description or all of it is too large. */
export function storedBody(descriptor: ToolDescriptor): StoredBody {
  const id = bodyId(descriptor);
  const units = JSON.stringify(descriptor).length;
  const fits = units <= MAX_DESCRIPTOR_UNITS;
  if (fits && descriptor.description.length <= MAX_DESCRIPTION_UNITS) return { id, tool: descriptor };
  const cut = { fingerprint: bridgeFingerprint(descriptor), units };
  const short = withShortTexts(descriptor);
  const tool = JSON.stringify(short).length <= MAX_DESCRIPTOR_UNITS ? short : withoutSchemas(short);
  return { id, tool, cut };
}

function withShortTexts(descriptor: ToolDescriptor): ToolDescriptor {
  const { definition } = descriptor;
  const description = cutText(descriptor.description, MAX_DESCRIPTION_UNITS);
  if (!definition) return { ...descriptor, description };
  const own = definition["description"];
  const text = typeof own === "string" ? cutText(own, MAX_DESCRIPTION_UNITS) : own;
  return { ...descriptor, description, definition: { ...definition, description: text } };
}

function withoutSchemas({ name, description, origin, definition }: ToolDescriptor): ToolDescriptor {
  const rest = definition && { name: definition["name"], description: definition["description"] };
  return {
    name,
    description,
    parameters: { type: "object" },
    ...(origin ? { origin } : {}),
    ...(rest ? { definition: rest } : {}),
  };
}
