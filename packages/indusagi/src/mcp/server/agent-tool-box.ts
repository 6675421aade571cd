import { describeError, untilAborted } from "../../core/index.ts";
import { fromMcpContent } from "../../interop/content/index.ts";
import { checkArguments } from "../../interop/host/internal.ts";
import type { ToolDescriptor } from "../../llm/index.ts";
import {
  abortedOutcome,
  answeredOutcome,
  type Caller,
  createTableBox,
  failureResult,
  type TableTool,
  type ToolBox,
  type ToolCall,
  type ToolResult,
} from "../../runtime/index.ts";
import type { AgentTool, AgentToolResult } from "../contract/index.ts";

/** Agent tools as a box that tools can be added to and removed from. */
export class AgentToolBox {
  readonly #entries = new Map<string, { readonly tool: AgentTool; readonly entry: TableTool }>();
  readonly #table = createTableBox();

  get box(): ToolBox {
    return this.#table.box;
  }

  /** The tools in the order they were added. */
  tools(): AgentTool[] {
    return [...this.#entries.values()].map(({ tool }) => tool);
  }

  /** Adds a tool, or replaces the one of the same name. */
  add(tool: AgentTool): void {
    this.#entries.set(tool.name, { tool, entry: tableTool(tool) });
    this.#update();
  }

  /** False when there is no tool of that name. */
  remove(name: string): boolean {
    const isRemoved = this.#entries.delete(name);
    if (isRemoved) this.#update();
    return isRemoved;
  }

  #update(): void {
    this.#table.replace([...this.#entries.values()].map(({ entry }) => entry));
  }
}

function tableTool(tool: AgentTool): TableTool {
  const descriptor = describe(tool);
  return {
    descriptor,
    run: async (call, signal, caller) => {
      try {
        // A client need not have read the schema, and the tool relies on it.
        const mismatch = await checkArguments(descriptor.parameters, toParams(call.input));
        if (signal?.aborted) return abortedOutcome(call.id, call.name, false);
        if (mismatch !== undefined)
          return answeredOutcome(call.id, failureResult(`${call.name}: arguments do not fit: ${mismatch}`));
        return answeredOutcome(call.id, await untilAborted(runTool(tool, call, signal, caller), signal));
      } catch (thrown) {
        if (signal?.aborted) return abortedOutcome(call.id, call.name, true);
        return answeredOutcome(call.id, failureResult(`${call.name} failed: ${describeError(thrown)}`));
      }
    },
  };
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

/** The text of a partial answer, for clients that can only show progress. */
function wordsOf({ content }: AgentToolResult): string | undefined {
  const first = content?.[0];
  return first?.type === "text" ? first.text : undefined;
}

/** The tool is foreign code: it may answer with anything. */
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
