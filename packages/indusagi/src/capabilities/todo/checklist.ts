import type { ToolContext } from "../contract/index.ts";

type TodoStatus = "pending" | "active" | "done";

export interface ChecklistItem {
  readonly id: string;
  readonly text: string;
  readonly status: TodoStatus;
}

/** One list per session. */
const lists = new WeakMap<object, readonly ChecklistItem[]>();

export function checklistOf(ctx: ToolContext): readonly ChecklistItem[] {
  return lists.get(ctx.framework) ?? [];
}

export function setChecklist(ctx: ToolContext, items: readonly ChecklistItem[]): void {
  // Copied, so that later changes by the caller and extra members do not get in.
  lists.set(
    ctx.framework,
    items.map(({ id, text, status }) => ({ id, text, status })),
  );
}

const GLYPHS: { readonly [status in TodoStatus]: string } = { pending: "[ ]", active: "[~]", done: "[x]" };

/** The list for a model: a glyph, the id and the text of each item, and the counts. */
export function showChecklist(items: readonly ChecklistItem[]): string {
  if (items.length === 0) return "the checklist is empty";
  const count = (status: TodoStatus): number => items.filter((item) => item.status === status).length;
  const all = items.length === 1 ? "1 item" : `${items.length} items`;
  const tally = `${all}: ${count("done")} done, ${count("active")} active, ${count("pending")} pending`;
  return [...items.map((item) => `${GLYPHS[item.status]} ${item.id}: ${item.text}`), tally].join("\n");
}
