import type { ModelEvent, ModelPort, ModelRequest, ModelUsage, ToolCallPart } from "indusagi/llm";

/** One answer of the model: events, or work that produces them. */
export type ScriptedStep =
  | readonly ModelEvent[]
  | ((request: ModelRequest, signal: AbortSignal | undefined) => AsyncIterable<ModelEvent>);

/** A model that says what the script says and records what it was asked. */
export function scriptedModel(
  steps: readonly ScriptedStep[],
): ModelPort & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    id: "scripted/model",
    requests,
    async *stream(request, signal) {
      const step = steps[requests.length] ?? says("done");
      requests.push(request);
      if (typeof step === "function") yield* step(request, signal);
      else yield* step;
    },
  };
}

export function says(text: string, usage?: ModelUsage): readonly ModelEvent[] {
  return [
    ...text.split("").map((letter) => ({ kind: "text_delta" as const, text: letter })),
    { kind: "part", part: { kind: "text", text } },
    { kind: "finish", reason: "stop", ...(usage && { usage }) },
  ];
}

export function calls(...parts: readonly (readonly [name: string, input: unknown])[]): readonly ModelEvent[] {
  const part = ([name, input]: readonly [string, unknown], index: number): ToolCallPart => ({
    kind: "tool_call",
    id: `c${index}`,
    name,
    input,
  });
  return [
    ...parts.map((given, index) => ({ kind: "part" as const, part: part(given, index) })),
    { kind: "finish", reason: "tool_calls" },
  ];
}
