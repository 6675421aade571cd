import type { ToolDescriptor } from "indusagi/llm";
import {
  abortedOutcome,
  answeredOutcome,
  type Caller,
  failureResult,
  faultOutcome,
  type ToolBox,
  type ToolBoxChange,
  type ToolOutcome,
  unknownToolOutcome,
} from "indusagi/runtime";
import type { FixtureAnswer, FixtureTool } from "./fixture-tool.ts";

/** A box whose tools can come and go while clients watch. */
export interface FixtureBox extends ToolBox {
  /** Adds a tool, or takes it away when it is there. */
  toggle(tool: FixtureTool): void;
}

/** Who calls a tool without a client. */
const NO_CLIENT: Caller = { key: "none", can: {} };
const NEVER = new AbortController().signal;

/** A tool box made of fixture tools. */
export function createFixtureBox(given: readonly FixtureTool[]): FixtureBox {
  const tools = new Map(given.map((tool) => [tool.name, tool]));
  const listeners = new Set<(change: ToolBoxChange) => void>();
  const describeAll = (): readonly ToolDescriptor[] => Object.freeze([...tools.values()].map(describe));
  let descriptors = describeAll();

  return {
    descriptors: () => descriptors,
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    runner: {
      run: async ({ id, name, input }, signal = NEVER, caller = NO_CLIENT) => {
        const tool = tools.get(name);
        if (!tool) return unknownToolOutcome(id, name);
        try {
          return outcomeOf(id, await tool.run({ input: input as Record<string, unknown>, signal, caller }));
        } catch (thrown) {
          if (signal.aborted) return abortedOutcome(id, name, true);
          return answeredOutcome(
            id,
            failureResult(thrown instanceof Error ? thrown.message : String(thrown)),
          );
        }
      },
    },
    toggle: (tool) => {
      const isThere = tools.delete(tool.name);
      if (!isThere) tools.set(tool.name, tool);
      descriptors = describeAll();
      const moved = [describe(tool)];
      const change = { added: isThere ? [] : moved, changed: [], removed: isThere ? moved : [] };
      for (const listener of listeners) listener(change);
    },
  };
}

function describe({ name, description, parameters, task }: FixtureTool): ToolDescriptor {
  return {
    name,
    description,
    parameters: parameters ?? { type: "object", properties: {} },
    ...(task && { task }),
  };
}

function outcomeOf(id: string, answer: FixtureAnswer): ToolOutcome {
  if ("error" in answer)
    return faultOutcome(id, answer.error.message, {
      kind: "tool_error",
      retrySafe: false,
      rpc: answer.error,
    });
  if (!("suspended" in answer)) return answeredOutcome(id, answer);
  return { ...answeredOutcome(id, { content: [] }), suspended: answer.suspended };
}
