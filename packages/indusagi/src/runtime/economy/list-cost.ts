import { estimateToolTokens, type ToolDescriptor } from "../../llm/index.ts";

const costs = new WeakMap<ToolDescriptor, number>();

/** Estimates the tokens that one tool costs in each request to a model. */
export function costOfTool(tool: ToolDescriptor): number {
  let cost = costs.get(tool);
  if (cost === undefined) {
    cost = estimateToolTokens(tool);
    costs.set(tool, cost);
  }
  return cost;
}

/** Estimates the tokens that a list of tools costs in each request to a model. */
export function listCost(tools: readonly ToolDescriptor[]): number {
  return tools.reduce((sum, tool) => sum + costOfTool(tool), 0);
}
