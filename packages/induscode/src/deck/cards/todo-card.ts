import type { JsonSchema } from "indusagi/llm";
import { failureResult, type ToolResult } from "indusagi/runtime";
import type { Capability, CapabilityCard } from "../contract/index.ts";
import { appCard, defineCard } from "./define-card.ts";

/** `todo`: a task list with states and weights. */
export function todoCard(): CapabilityCard {
  return appCard({
    id: "todo",
    title: "Todo list",
    summary: "Read or replace the list of work with states and weights.",
    build: () => todoCapability(new TodoLedger()),
  });
}

interface TodoInput {
  readonly action: "read" | "set";
  readonly items?: readonly {
    readonly task: string;
    readonly state?: TodoState;
    readonly weight?: TodoWeight;
  }[];
}

const TODO_STATES: readonly TodoState[] = Object.freeze(["pending", "active", "done", "dropped"]);
const TODO_WEIGHTS: readonly TodoWeight[] = Object.freeze(["low", "normal", "high"]);

const PARAMETERS: JsonSchema = {
  type: "object",
  properties: {
    action: { type: "string", enum: ["read", "set"] },
    items: {
      type: "array",
      maxItems: 500,
      description: "The whole list, for set.",
      items: {
        type: "object",
        properties: {
          task: { type: "string", minLength: 1, description: "What to do." },
          state: { type: "string", enum: TODO_STATES, description: "Default pending." },
          weight: { type: "string", enum: TODO_WEIGHTS, description: "Default normal." },
        },
        required: ["task"],
      },
    },
  },
  required: ["action"],
};

function todoCapability(ledger: TodoLedger): Capability {
  return defineCard<TodoInput>({
    name: "todo",
    label: "Todo list",
    description:
      "Keep the list of work of this session. read shows it; set replaces it, so send every item each time, " +
      "and an empty list to clear it.",
    parameters: PARAMETERS,
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    effect: ({ action }) =>
      action === "read" ? { readOnly: true, paths: [] } : { readOnly: false, destructive: false, paths: [] },
    run: ({ action, items }) => {
      if (action === "set") {
        if (!items) return failureResult('todo: "items" is missing; set needs the whole list');
        ledger.set(items.map(withDefaults));
      }
      return listResult(ledger.read());
    },
  });
}

function withDefaults({
  task,
  state = "pending",
  weight = "normal",
}: NonNullable<TodoInput["items"]>[number]): TodoItem {
  return { task, state, weight };
}

function listResult(items: readonly TodoItem[]): ToolResult {
  return { content: [{ kind: "text", text: showTodos(items) }], structured: { items } };
}

/** How far an item is. */
export type TodoState = "pending" | "active" | "done" | "dropped";

/** How much an item matters. */
export type TodoWeight = "low" | "normal" | "high";

export interface TodoItem {
  readonly task: string;
  readonly state: TodoState;
  readonly weight: TodoWeight;
}

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
function showTodos(items: readonly TodoItem[]): string {
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
