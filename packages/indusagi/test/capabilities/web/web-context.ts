import type { Fs, OutputBudget, Shell, ToolContext } from "../../../src/capabilities/contract/index.ts";
import type { ToolResult } from "../../../src/runtime/index.ts";

export interface WebContextOptions {
  readonly signal?: AbortSignal;
  readonly budget?: OutputBudget;
}

/** A context for tools that use neither files nor a shell. */
export function webContext(options: WebContextOptions = {}): ToolContext {
  return {
    contextId: "web",
    cwd: "/",
    fs: {} as Fs,
    shell: {} as Shell,
    signal: options.signal ?? new AbortController().signal,
    budget: options.budget ?? { kind: "middle", maxBytes: 64 * 1024 },
    framework: {},
    call: { id: "1", name: "web", input: {} },
  };
}

/** The text of a result. */
export function textOf(result: ToolResult): string {
  const block = result.content[0];
  return block?.kind === "text" ? block.text : "";
}
