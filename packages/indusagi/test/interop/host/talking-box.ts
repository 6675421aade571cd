import type { ToolDescriptor } from "indusagi/llm";
import {
  answeredOutcome,
  type Caller,
  failureResult,
  faultOutcome,
  mcpBlock,
  type ToolBox,
  type ToolBoxChange,
  type ToolCall,
  type ToolOutcome,
  type ToolResult,
  textResult,
  unknownToolOutcome,
} from "indusagi/runtime";

type Tool = (
  call: ToolCall,
  signal: AbortSignal,
  caller: Caller | undefined,
) => Promise<ToolResult> | ToolResult;

const FORM = {
  mode: "form",
  message: "What is your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};

/** A box whose tools use everything a caller offers. */
export class TalkingBox implements ToolBox {
  /** Abort reasons of aborted calls. */
  readonly aborted: unknown[] = [];
  readonly callers: Caller[] = [];
  readonly calls: ToolCall[] = [];
  readonly #listeners = new Set<(change: ToolBoxChange) => void>();
  readonly #tools = new Map<string, Tool>(Object.entries(this.#standardTools()));
  #descriptors: readonly ToolDescriptor[] = this.#describe();

  readonly runner = {
    run: async (
      call: ToolCall,
      signal = new AbortController().signal,
      caller?: Caller,
    ): Promise<ToolOutcome> => {
      this.calls.push(call);
      if (caller) this.callers.push(caller);
      const tool = this.#tools.get(call.name);
      if (!tool) return unknownToolOutcome(call.id, call.name);
      if (call.name === "upstream_error")
        return faultOutcome(call.id, "no", {
          kind: "tool_error",
          retrySafe: false,
          rpc: { code: -32042, message: "log in first", data: { elicitations: [] } },
        });
      if (call.name === "suspends") return this.#suspends(call, caller);
      return answeredOutcome(call.id, await tool(call, signal, caller));
    },
  };

  descriptors(): readonly ToolDescriptor[] {
    return this.#descriptors;
  }

  onChange(listener: (change: ToolBoxChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  /** Offers one more tool. */
  add(name: string): void {
    this.#tools.set(name, () => textResult(name));
    this.#descriptors = this.#describe();
    const added = this.#descriptors.filter((tool) => tool.name === name);
    for (const listener of this.#listeners) listener({ added, changed: [], removed: [] });
  }

  #suspends(call: ToolCall, caller: Caller | undefined): ToolOutcome {
    if (caller?.resume)
      return answeredOutcome(
        call.id,
        textResult(`${caller.resume.state ?? "-"} ${JSON.stringify(caller.resume.responses)}`),
      );
    return {
      ...answeredOutcome(call.id, textResult("waiting")),
      suspended: {
        requests: { who: { method: "elicitation/create", params: FORM } },
        state: "upstream-state",
      },
    };
  }

  #describe(): readonly ToolDescriptor[] {
    return Object.freeze(
      [...this.#tools.keys()].map((name) => ({
        name,
        description: `The tool ${name}.`,
        parameters: { type: "object" as const, properties: {} },
      })),
    );
  }

  #standardTools(): Record<string, Tool> {
    return {
      echo: ({ input }) => textResult(JSON.stringify(input)),
      upstream_error: () => textResult(""),
      suspends: () => textResult(""),
      fails: () => failureResult("it did not work"),
      picture: () => ({
        content: [
          { kind: "text", text: "look" },
          mcpBlock({ type: "image", data: "AAAA", mimeType: "image/png" }),
          mcpBlock({ type: "hologram", depth: 3 }),
          { kind: "json", value: { type: "image", data: "not one" } },
        ],
        structured: { answer: 42 },
        meta: { "example.org/seen": true },
      }),
      bigint: () => ({ content: [{ kind: "json", value: { n: 1n } }] }),
      progress: (_call, _signal, caller) => {
        for (const progress of [1, 2, 3])
          caller?.progress?.({ progress, total: 3, message: `step ${progress}` });
        setTimeout(() => caller?.progress?.({ progress: 4 }), 5);
        return textResult("done");
      },
      logs: (_call, _signal, caller) => {
        caller?.log?.({ level: "warning", logger: "talking", data: "careful" });
        return textResult("logged");
      },
      slow: async (_call, _signal, caller) => {
        await new Promise((resolve) => setTimeout(resolve, 400));
        caller?.progress?.({ progress: 1, message: "late" });
        return textResult("slow");
      },
      hang: async (_call, signal) => {
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
        this.aborted.push(signal.reason);
        return textResult("ended");
      },
      asks: async (_call, signal, caller) => {
        const answers = await caller?.ask?.({ who: { method: "elicitation/create", params: FORM } }, signal);
        return textResult(JSON.stringify(answers));
      },
      asks_twice: async (_call, signal, caller) => {
        const first = await caller?.ask?.(
          { a: { method: "elicitation/create", params: FORM }, b: { method: "roots/list" } },
          signal,
        );
        caller?.progress?.({ progress: 1 });
        const second = await caller?.ask?.({ c: { method: "elicitation/create", params: FORM } }, signal);
        return textResult(JSON.stringify([first, second]));
      },
      waits_for_answer: async (_call, signal, caller) => {
        try {
          await caller?.ask?.({ who: { method: "elicitation/create", params: FORM } });
        } catch (thrown) {
          this.aborted.push(signal.aborted ? thrown : "not aborted");
          throw thrown;
        }
        return textResult("answered");
      },
    };
  }
}
