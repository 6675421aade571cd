import { describeError, Listeners, untilAborted } from "../../core/index.ts";
import { checkArguments } from "../../interop/host/internal.ts";
import type { ToolDescriptor } from "../../llm/index.ts";
import {
  abortedOutcome,
  answeredOutcome,
  type Caller,
  failureResult,
  type ToolBox,
  type ToolBoxChange,
  type ToolCall,
  type ToolOutcome,
  type ToolResult,
  unknownToolOutcome,
} from "../../runtime/index.ts";
import type { AgentTool, AgentToolResult } from "../contract/index.ts";
import { fromMcpContent } from "../translate/index.ts";

/** Agents' tools as a box. Adding and removing shows at once, and whoever listens is told. */
export class AgentToolBox implements ToolBox {
  readonly #tools = new Map<string, { readonly tool: AgentTool; readonly descriptor: ToolDescriptor }>();
  readonly #listeners = new Listeners<ToolBoxChange>();
  #descriptors: readonly ToolDescriptor[] = Object.freeze([]);

  readonly runner = {
    run: async (call: ToolCall, signal?: AbortSignal, caller?: Caller): Promise<ToolOutcome> => {
      const { tool, descriptor } = this.#tools.get(call.name) ?? {};
      if (!tool || !descriptor) return unknownToolOutcome(call.id, call.name);
      try {
        // A client need not have looked at the schema, and the tool counts on what it says.
        const misfit = await checkArguments(descriptor.parameters, toParams(call.input));
        if (signal?.aborted) return abortedOutcome(call.id, call.name, false);
        if (misfit !== undefined)
          return answeredOutcome(call.id, failureResult(`${call.name}: arguments do not fit: ${misfit}`));
        return answeredOutcome(call.id, await untilAborted(runTool(tool, call, signal, caller), signal));
      } catch (thrown) {
        if (signal?.aborted) return abortedOutcome(call.id, call.name, true);
        return answeredOutcome(call.id, failureResult(`${call.name} failed: ${describeError(thrown)}`));
      }
    },
  };

  /** The tools in the order they came. */
  tools(): AgentTool[] {
    return [...this.#tools.values()].map(({ tool }) => tool);
  }

  descriptors(): readonly ToolDescriptor[] {
    return this.#descriptors;
  }

  onChange(listener: (change: ToolBoxChange) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** A tool of the same name is replaced. */
  add(tool: AgentTool): void {
    const isNew = !this.#tools.has(tool.name);
    const descriptor = describe(tool);
    this.#tools.set(tool.name, { tool, descriptor });
    this.#changed({ added: isNew ? [descriptor] : [], changed: isNew ? [] : [descriptor], removed: [] });
  }

  remove(name: string): boolean {
    const descriptor = this.#tools.get(name)?.descriptor;
    if (!descriptor) return false;
    this.#tools.delete(name);
    this.#changed({ added: [], changed: [], removed: [descriptor] });
    return true;
  }

  #changed(change: ToolBoxChange): void {
    this.#descriptors = Object.freeze([...this.#tools.values()].map(({ descriptor }) => descriptor));
    this.#listeners.emit(change);
  }
}

function describe({ name, label, description, parameters }: AgentTool): ToolDescriptor {
  return Object.freeze({
    name,
    description: description ?? "",
    parameters: { type: "object", ...parameters },
    ...(label === undefined ? {} : { title: label }),
  });
}

async function runTool(
  tool: AgentTool,
  { id, input }: ToolCall,
  signal: AbortSignal | undefined,
  caller: Caller | undefined,
): Promise<ToolResult> {
  let updates = 0;
  const result = await tool.execute(id, toParams(input), signal, (partial) => {
    updates += 1;
    const message = wordsOf(partial);
    caller?.progress?.({ progress: updates, ...(message === undefined ? {} : { message }) });
  });
  return toToolResult(tool.name, result);
}

function toParams(input: unknown): { readonly [name: string]: unknown } {
  return typeof input === "object" && input !== null ? (input as { readonly [name: string]: unknown }) : {};
}

/** A partial answer in words, for clients that can only be told of progress. */
function wordsOf({ content }: AgentToolResult): string | undefined {
  const first = content?.[0];
  return first?.type === "text" ? first.text : undefined;
}

/** The tool is somebody else's: it may answer with anything. */
function toToolResult(name: string, result: AgentToolResult | undefined): ToolResult {
  if (!Array.isArray(result?.content))
    return failureResult(`${name} answered without content; a tool answers { content: [...] }`);
  const { content, isError, structuredContent } = result;
  return {
    content: fromMcpContent(content),
    ...(isError ? { isError } : {}),
    ...(structuredContent === undefined ? {} : { structured: structuredContent }),
  };
}
