import { failureResult, textResult } from "../../runtime/index.ts";
import type { DefinedTool } from "../contract/index.ts";
import { defineNativeTool } from "../kernel/index.ts";
import { type ChecklistItem, setChecklist, showChecklist } from "./checklist.ts";

interface TodoSetInput {
  readonly items: readonly ChecklistItem[];
}

/** `todo_set`: replaces the session's checklist. */
export function todoSetTool(): DefinedTool {
  return defineNativeTool<TodoSetInput>({
    name: "todo_set",
    description: "Replace the checklist of this session. Send every item each time; an empty list clears it.",
    parameters: {
      type: "object",
      properties: {
        items: {
          type: "array",
          maxItems: 500,
          items: {
            type: "object",
            properties: {
              id: {
                type: "string",
                minLength: 1,
                description: "Identifies the item; keep it the same in later calls.",
              },
              text: { type: "string", minLength: 1, description: "What to do." },
              status: { type: "string", enum: ["pending", "active", "done"] },
            },
            required: ["id", "text", "status"],
          },
        },
      },
      required: ["items"],
    },
    annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
    run: async ({ items }, ctx) => {
      const twice = items.find((item, index) => items.findIndex((other) => other.id === item.id) !== index);
      if (twice)
        return failureResult(
          `todo_set: two items have the id ${JSON.stringify(twice.id)}; nothing was changed`,
        );
      setChecklist(ctx, items);
      return textResult(showChecklist(items));
    },
  });
}
