import { bytesHash } from "indusagi/core";
import { exactPackageVersion, type ServerConfig, type ToolDefinition } from "indusagi/interop";
import { PIN_FORMULA } from "./pin.ts";

/** Identifies instructions and the level at which they are reviewed. */
export function instructionsHash({ pin = "hold" }: ServerConfig, instructions: string): string {
  return bytesHash(JSON.stringify([PIN_FORMULA, pin, instructions]));
}

/**
 * Identifies a listing and the row under which it is reviewed. Another order of members gives another hash: then the listing
 * is reviewed, which costs only time. Undefined if the listing has no JSON.
 */
export function listingHash(config: ServerConfig, tools: readonly ToolDefinition[]): string | undefined {
  try {
    const { pin = "hold" } = config;
    return bytesHash(JSON.stringify([PIN_FORMULA, pin, exactPackageVersion(config) ?? null, tools]));
  } catch {
    return undefined;
  }
}
