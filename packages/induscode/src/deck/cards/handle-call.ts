import type { ToolContext } from "indusagi/capabilities";
import type { HandleCall } from "../contract/index.ts";

/** The part of a call that a handle may use. */
export function handleCall({ signal, caller }: ToolContext): HandleCall {
  return caller ? { signal, caller } : { signal };
}
