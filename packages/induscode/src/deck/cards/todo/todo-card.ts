import type { JsonSchema } from "indusagi/llm";
import { failureResult, type ToolResult } from "indusagi/runtime";
import type { Capability, CapabilityCard } from "../../contract/index.ts";
import { appCard, defineCard } from "../define-card.ts";
import {
  showTodos,
  TODO_STATES,
  TODO_WEIGHTS,
  type TodoItem,
  TodoLedger,
  type TodoState,
  type TodoWeight,
} from "./todo-ledger.ts";

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
