import type { ToolContext } from "../../contract/index.ts";

type TodoStatus = "pending" | "active" | "done";

export interface ChecklistItem {
  readonly id: string;
  readonly text: string;
  readonly status: TodoStatus;
}

/** One list for each session; it goes when the session's shelf goes. */
const lists = new WeakMap<object, readonly ChecklistItem[]>();

export function checklistOf(ctx: ToolContext): readonly ChecklistItem[] {
  return lists.get(ctx.framework) ?? [];
}

export function setChecklist(ctx: ToolContext, items: readonly ChecklistItem[]): void {
  lists.set(ctx.framework, items);
}

const GLYPHS: { readonly [status in TodoStatus]: string } = { pending: "[ ]", active: "[~]", done: "[x]" };

/** The list as a model reads it: a glyph, the id and the text of each item, and a tally. */
export function showChecklist(items: readonly ChecklistItem[]): string {
  if (items.length === 0) return "the checklist is empty";
  const count = (status: TodoStatus): number => items.filter((item) => item.status === status).length;
  const all = items.length === 1 ? "1 item" : `${items.length} items`;
  const tally = `${all}: ${count("done")} done, ${count("active")} active, ${count("pending")} pending`;
  return [...items.map((item) => `${GLYPHS[item.status]} ${item.id}: ${item.text}`), tally].join("\n");
}
