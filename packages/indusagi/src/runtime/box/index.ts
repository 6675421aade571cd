export { joinBoxes } from "./join-boxes.ts";
export { createTableBox, type TableBox, type TableTool } from "./table-box.ts";
