/** How far an item is. */
export type TodoState = "pending" | "active" | "done" | "dropped";

/** How much an item matters. */
export type TodoWeight = "low" | "normal" | "high";

export interface TodoItem {
  readonly task: string;
  readonly state: TodoState;
  readonly weight: TodoWeight;
}

export const TODO_STATES: readonly TodoState[] = Object.freeze(["pending", "active", "done", "dropped"]);
export const TODO_WEIGHTS: readonly TodoWeight[] = Object.freeze(["low", "normal", "high"]);

/** The list of one `todo` card. Separate from the checklist of the native tools. */
export class TodoLedger {
  #items: readonly TodoItem[] = [];

  read(): readonly TodoItem[] {
    return this.#items;
  }

  /** Replaces the whole list. */
  set(items: readonly TodoItem[]): void {
    // Copied, to keep out extra members and later changes by the caller.
    this.#items = Object.freeze(
      items.map(({ task, state, weight }) => Object.freeze({ task, state, weight })),
    );
  }
}

const GLYPHS: { readonly [state in TodoState]: string } = {
  pending: "[ ]",
  active: "[~]",
  done: "[x]",
  dropped: "[-]",
};

/** The list for a model: a glyph and the task of each item, its weight unless normal, and the counts. */
export function showTodos(items: readonly TodoItem[]): string {
  if (items.length === 0) return "the list is empty";
  const lines = items.map(({ task, state, weight }) => {
    const mark = weight === "normal" ? "" : ` (${weight})`;
    return `${GLYPHS[state]} ${task}${mark}`;
  });
  const counts = TODO_STATES.map(
    (state) => [state, items.filter((item) => item.state === state).length] as const,
  );
  const tally = counts.filter(([, count]) => count > 0).map(([state, count]) => `${count} ${state}`);
  return [...lines, `${items.length === 1 ? "1 item" : `${items.length} items`}: ${tally.join(", ")}`].join(
    "\n",
  );
}
