import type { ToolContext } from "indusagi/capabilities";
import type { HandleCall } from "../contract/index.ts";

/** What a handle may use of a call. */
export function handleCall({ signal, caller }: ToolContext): HandleCall {
  return caller ? { signal, caller } : { signal };
}
