import { describeError, untilAborted } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import { fromMcpContent } from "../../interop/content/index.ts";
import { checkArguments } from "../../interop/host/internal.ts";
import type { ToolDescriptor } from "../../llm/index.ts";
import {
  abortedOutcome,
  answeredOutcome,
  type Caller,
  createTableBox,
  failureResult,
  type Tool,
  type ToolBox,
  type ToolCall,
  type ToolResult,
} from "../../runtime/index.ts";
import type { AgentTool, AgentToolResult } from "../contract/index.ts";

/** A tool box over agent tools, which can be added and removed. */
export class AgentToolBox {
  readonly #entries = new Map<string, { readonly tool: AgentTool; readonly entry: Tool }>();
  readonly #table = createTableBox();

  get box(): ToolBox {
    return this.#table.box;
  }

  /** The tools in the order they were added. */
  tools(): AgentTool[] {
    return [...this.#entries.values()].map(({ tool }) => tool);
  }

  /** Adds a tool, or replaces the one with the same name. */
  add(tool: AgentTool): void {
    this.#entries.set(tool.name, { tool, entry: tableTool(tool) });
    this.#update();
  }

  /** Returns false if there is no tool with that name. */
  remove(name: string): boolean {
    const isRemoved = this.#entries.delete(name);
    if (isRemoved) this.#update();
    return isRemoved;
  }

  #update(): void {
    this.#table.replace([...this.#entries.values()].map(({ entry }) => entry));
  }
}

function tableTool(tool: AgentTool): Tool {
  const descriptor = describe(tool);
  return {
    descriptor,
    run: async (call, signal, caller) => {
      try {
        // Clients may ignore the schema, but the tool relies on it.
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
  return Object.freeze(
    definedMembers({
      name,
      description: description ?? "",
      parameters: { type: "object", ...parameters },
      title: label,
    }),
  );
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
    caller?.progress?.(definedMembers({ progress: updates, message: partialText(partial) }));
  });
  return toToolResult(tool.name, result);
}

function toParams(input: unknown): { readonly [name: string]: unknown } {
  return typeof input === "object" && input !== null ? (input as { readonly [name: string]: unknown }) : {};
}

/** The text of a partial answer, sent as a progress message. */
function partialText({ content }: AgentToolResult): string | undefined {
  const first = content?.[0];
  return first?.type === "text" ? first.text : undefined;
}

/** The tool is foreign code, so its result is checked. */
function toToolResult(name: string, result: AgentToolResult | undefined): ToolResult {
  if (!Array.isArray(result?.content))
    return failureResult(`${name} returned no content; a tool must return { content: [...] }`);
  const { content, isError, structuredContent } = result;
  return definedMembers({
    content: fromMcpContent(content),
    isError: isError || undefined,
    structured: structuredContent,
  });
}
