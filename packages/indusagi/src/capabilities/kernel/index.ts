export { clamp, standardBudget } from "./budget.ts";
export { callContext, defineNativeTool, defineTool, withSignal } from "./define-tool.ts";
export {
  type ContextFactory,
  ToolRegistry,
  UnknownCollectionError,
  UnknownToolError,
} from "./tool-registry.ts";
