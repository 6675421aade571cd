import { failureResult, textResult } from "../../runtime/index.ts";
import type { DefinedTool, ToolContext } from "../contract/index.ts";
import { defineNativeTool } from "../kernel/index.ts";

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

interface TodoSetInput {
  readonly items: readonly ChecklistItem[];
}

type TodoStatus = "pending" | "active" | "done";

interface ChecklistItem {
  readonly id: string;
  readonly text: string;
  readonly status: TodoStatus;
}

/** One list per session. */
const lists = new WeakMap<object, readonly ChecklistItem[]>();

function checklistOf(ctx: ToolContext): readonly ChecklistItem[] {
  return lists.get(ctx.framework) ?? [];
}

function setChecklist(ctx: ToolContext, items: readonly ChecklistItem[]): void {
  // Copied, so later changes by the caller and extra members do not get in.
  lists.set(
    ctx.framework,
    items.map(({ id, text, status }) => ({ id, text, status })),
  );
}

const GLYPHS: { readonly [status in TodoStatus]: string } = { pending: "[ ]", active: "[~]", done: "[x]" };

/** The list for a model: a glyph, the id and the text of each item, and the counts. */
function showChecklist(items: readonly ChecklistItem[]): string {
  if (items.length === 0) return "the checklist is empty";
  const count = (status: TodoStatus): number => items.filter((item) => item.status === status).length;
  const all = items.length === 1 ? "1 item" : `${items.length} items`;
  const tally = `${all}: ${count("done")} done, ${count("active")} active, ${count("pending")} pending`;
  return [...items.map((item) => `${GLYPHS[item.status]} ${item.id}: ${item.text}`), tally].join("\n");
}
