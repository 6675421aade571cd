import type { ToolDescriptor } from "indusagi/llm";
import { type ToolBox, viewBox } from "indusagi/runtime";

/** The same box with only some of its tools. It follows the changes of the box. */
export function filterBox(box: ToolBox, keep: (tool: ToolDescriptor) => boolean): ToolBox {
  return viewBox(box, { show: (tool) => (keep(tool) ? tool : undefined) });
}
