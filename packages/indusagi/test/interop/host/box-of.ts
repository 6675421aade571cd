import type { ToolDescriptor } from "indusagi/llm";
import {
  answeredOutcome,
  type Caller,
  type ToolBox,
  type ToolCall,
  type ToolOutcome,
  type ToolResult,
  unknownToolOutcome,
} from "indusagi/runtime";

/** The action of a test tool. */
export type TestTool = (
  call: ToolCall,
  signal: AbortSignal,
  caller: Caller | undefined,
) => Promise<ToolResult> | ToolResult;

/** A box of the given tools that never changes. */
export function boxOf(tools: { readonly [name: string]: TestTool }): ToolBox {
  const descriptors: readonly ToolDescriptor[] = Object.keys(tools).map((name) => ({
    name,
    description: `The tool ${name}.`,
    parameters: { type: "object", properties: {} },
  }));
  const run = async (
    call: ToolCall,
    signal = new AbortController().signal,
    caller?: Caller,
  ): Promise<ToolOutcome> => {
    const tool = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined;
    if (!tool) return unknownToolOutcome(call.id, call.name);
    return answeredOutcome(call.id, await tool(call, signal, caller));
  };
  return { descriptors: () => descriptors, onChange: () => () => {}, runner: { run } };
}
