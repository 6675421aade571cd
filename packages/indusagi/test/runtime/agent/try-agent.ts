import type { JsonSchema, ToolAnnotations } from "indusagi/llm";
import {
  type AgentEvent,
  type AgentOptions,
  answeredOutcome,
  createAgent,
  createTableBox,
  type TableTool,
  type ToolEntry,
  textResult,
} from "indusagi/runtime";
import { type ScriptedStep, scriptedModel } from "./scripted-model.ts";

type TurnEnd = Extract<AgentEvent, { readonly kind: "end" }>;

/** An agent on a scripted model, and a short way to run a turn. */
export function tryAgent(
  steps: readonly ScriptedStep[],
  tools: readonly TableTool[],
  options: Partial<AgentOptions> = {},
) {
  const model = scriptedModel(steps);
  const table = createTableBox(tools);
  const agent = createAgent({ model, box: table.box, ...options });
  const turn = async (text = "go", signal?: AbortSignal) => {
    const events: AgentEvent[] = [];
    for await (const event of agent.send(text, signal ? { signal } : {})) events.push(event);
    return { events, end: events.at(-1) as TurnEnd };
  };
  const answers = (): readonly ToolEntry[] => agent.transcript().filter((entry) => entry.kind === "tool");
  return { agent, model, table, turn, answers };
}

export interface ToolSketch {
  readonly parameters?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  readonly run?: (input: unknown, signal?: AbortSignal) => Promise<string> | string;
}

export function toolNamed(
  name: string,
  { parameters, annotations, run = () => name }: ToolSketch = {},
): TableTool {
  return {
    descriptor: {
      name,
      description: `The tool ${name}.`,
      parameters: parameters ?? { type: "object" },
      ...(annotations && { annotations }),
    },
    run: async ({ id, input }, signal) => answeredOutcome(id, textResult(await run(input, signal))),
  };
}

/** The text of an answer. */
export function textOf({ content }: ToolEntry): string {
  return content
    .map((block) => (block.kind === "text" ? block.text : JSON.stringify(block.value)))
    .join("\n");
}
