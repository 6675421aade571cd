import { toMcpContent } from "../../interop/content/index.ts";
import type { Caller, ToolBox, ToolOutcome } from "../../runtime/index.ts";
import type { MCPContentBlock, MCPToolCallResult } from "../contract/index.ts";

/** How the tools of an adapter answer. */
export interface AdapterOptions {
  /** UTF-8 bytes of text that one answer may bring before the model. Default 64 KiB. */
  readonly maxBytes?: number;
}

/** What goes with one call of a provider's model. */
export interface DispatchOptions {
  /** Ends the call; the provider still gets a result for it, which says that it was aborted. */
  readonly signal?: AbortSignal;
  readonly caller?: Caller;
  /** Is shown the whole outcome, before the budget. */
  readonly onOutcome?: (outcome: ToolOutcome) => void;
}

/** One request to run a tool, under the box's own name. */
export interface BoxCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Runs a call and returns its answer as MCP content. Always resolves. */
export async function runCall(
  box: ToolBox,
  call: BoxCall,
  { signal, caller, onOutcome }: DispatchOptions = {},
): Promise<MCPToolCallResult> {
  const outcome = await box.runner.run(call, signal, caller);
  onOutcome?.(outcome);
  const { content, structured, meta } = outcome.result;
  return {
    // The facade's block types name what the protocol defines today; a server may send newer ones.
    content: toMcpContent(content) as unknown as readonly MCPContentBlock[],
    isError: outcome.isError,
    ...(structured === undefined ? {} : { structuredContent: structured }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

/** Parses arguments that arrive as JSON text, or returns the line to answer with. No text means no arguments. */
export function parseArguments(
  given: unknown,
): { readonly ok: true; readonly input: unknown } | { readonly ok: false; readonly message: string } {
  // Some servers that speak a provider's language send the arguments themselves, not their text.
  if (typeof given !== "string") return { ok: true, input: given ?? {} };
  if (given.trim() === "") return { ok: true, input: {} };
  try {
    return { ok: true, input: JSON.parse(given) as unknown };
  } catch {
    return { ok: false, message: "the arguments are no JSON; send one JSON object" };
  }
}
