import { failureResult, type ToolResult } from "indusagi/runtime";
import type { DeckFaultKind, DeckFramework } from "../contract/index.ts";

/** The structured answer of a card whose handle is absent. */
export interface MissingHandle {
  readonly fault: Extract<DeckFaultKind, "backend">;
  readonly handle: keyof DeckFramework;
}

/** The answer of a card that this session has no handle for. Programs recognise it by `structured`. */
export function missingHandle(handle: keyof DeckFramework, message: string): ToolResult {
  const structured: MissingHandle = { fault: "backend", handle };
  return { ...failureResult(message), structured };
}
