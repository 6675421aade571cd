export { joinBoxes, layerBox, type ToolLayer, type ViewOptions, viewBox, wrapCalls } from "./layer-box.ts";
export { createTableBox, type TableBox, type TableTool, type Tool, toolsOf } from "./table-box.ts";
