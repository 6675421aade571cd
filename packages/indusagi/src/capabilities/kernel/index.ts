export { clamp, standardBudget } from "./budget.ts";
export { callContext, withSignal } from "./call-context.ts";
export { defineNativeTool } from "./define-native-tool.ts";
export { defineTool } from "./define-tool.ts";
export { type ContextFactory, ToolRegistry } from "./tool-registry.ts";
export { UnknownCollectionError, UnknownToolError } from "./unknown-names.ts";
