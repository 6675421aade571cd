export { clamp, standardBudget } from "./budget.ts";
export { callContext, withSignal } from "./call-context.ts";
export { defineNativeTool } from "./define-native-tool.ts";
export { defineTool } from "./define-tool.ts";
export {
  type ContextFactory,
  ToolRegistry,
  UnknownCollectionError,
  UnknownToolError,
} from "./tool-registry.ts";
