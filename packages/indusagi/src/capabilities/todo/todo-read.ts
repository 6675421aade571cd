import { textResult } from "../../runtime/index.ts";
import type { DefinedTool } from "../contract/index.ts";
import { defineNativeTool } from "../kernel/index.ts";
import { checklistOf, showChecklist } from "./checklist.ts";

/** `todo_read`: shows the session's checklist. */
export function todoReadTool(): DefinedTool {
  return defineNativeTool<object>({
    name: "todo_read",
    description: "Show the checklist of this session.",
    parameters: { type: "object", properties: {} },
    annotations: { openWorldHint: false },
    run: async (_input, ctx) => textResult(showChecklist(checklistOf(ctx))),
  });
}
