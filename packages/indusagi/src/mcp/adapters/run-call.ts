import { callListener } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import { toMcpContent } from "../../interop/content/index.ts";
import type { Caller, ToolBox, ToolOutcome } from "../../runtime/index.ts";
import type { MCPContentBlock, MCPToolCallResult } from "../contract/index.ts";

export interface AdapterOptions {
  /** The most UTF-8 bytes of text that a model gets from one answer. Default 64 KiB. */
  readonly maxBytes?: number;
}

/** Options for one tool call from a model. */
export interface DispatchOptions {
  /** Ends the call. The provider still gets a result, which states that the call was aborted. */
  readonly signal?: AbortSignal;
  readonly caller?: Caller;
  /** Called with the whole outcome, before its text is cut. */
  readonly onOutcome?: (outcome: ToolOutcome) => void;
}

/** `DispatchOptions` with a signal that may be undefined. */
type RunOptions = Omit<DispatchOptions, "signal"> & { readonly signal?: AbortSignal | undefined };

/** A call of a tool by its name in the box. */
interface BoxCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Runs a call and returns its answer as MCP content. Always resolves. */
export async function runCall(
  box: ToolBox,
  call: BoxCall,
  { signal, caller, onOutcome }: RunOptions = {},
): Promise<MCPToolCallResult> {
  const outcome = await box.runner.run(call, signal, caller);
  callListener(onOutcome, outcome);
  const { content, structured, meta } = outcome.result;
  return definedMembers({
    // The facade's types list today's block types; a server may send newer ones.
    content: toMcpContent(content) as unknown as readonly MCPContentBlock[],
    isError: outcome.isError,
    structuredContent: structured,
    _meta: meta,
  });
}

/** Parses arguments that arrive as JSON text, or returns the message to answer with. Empty text means no arguments. */
export function parseCallArguments(
  given: unknown,
): { readonly ok: true; readonly input: unknown } | { readonly ok: false; readonly message: string } {
  // Some servers with a provider's interface send the arguments as an object, not as text.
  if (typeof given !== "string") return { ok: true, input: given ?? {} };
  if (given.trim() === "") return { ok: true, input: {} };
  try {
    return { ok: true, input: JSON.parse(given) as unknown };
  } catch {
    return { ok: false, message: "the arguments are not valid JSON; send one JSON object" };
  }
}

/** An object that has a tool box, e.g. a pool of clients. */
export interface ToolBoxSource {
  /** Always returns the same box, which follows changes of its owner. */
  toolBox(): ToolBox;
}

/** The source of an adapter's tools. */
export type ToolSource = ToolBox | ToolBoxSource;

export function toolBoxOf(source: ToolSource): ToolBox {
  // Callers without types may pass a client, which has no box, or nothing.
  const given: Partial<ToolBoxSource & ToolBox> | undefined = source;
  if (typeof given?.toolBox === "function") return given.toolBox();
  if (typeof given?.descriptors === "function") return given as ToolBox;
  throw new TypeError(
    "an adapter needs a tool box or an object with one, e.g. a pool; put a single client into a pool",
  );
}
