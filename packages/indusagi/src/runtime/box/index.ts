export { joinBoxes } from "./join-boxes.ts";
export { createTableBox, type TableBox, type TableTool } from "./table-box.ts";
export { type ViewOptions, viewBox } from "./view-box.ts";
export { wrapCalls } from "./wrap-calls.ts";
