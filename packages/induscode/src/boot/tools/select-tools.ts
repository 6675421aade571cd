import type { ToolDescriptor } from "indusagi/llm";
import { type ToolBox, viewBox } from "indusagi/runtime";
import { canonToolName, isMountedPattern, type ToolSelection } from "../../launch/internal.ts";
import { parseToolPattern } from "../../policy/internal.ts";

/** Which tools the words of `--tools` leave. */
export interface ToolFilter {
  /** The words. */
  readonly words: readonly string[];
  /** Whether one of our own tools stays. */
  readonly keepsCard: (name: string) => boolean;
  /** Whether a tool of a server stays. `servers`: the ids of the approved servers, see `ToolPattern`. */
  readonly keepsMounted: (
    tool: Pick<ToolDescriptor, "name" | "origin">,
    servers?: readonly string[],
  ) => boolean;
}

/**
 * Plain names select our own tools, compared without case, `_` and `-`. Names with `__` select tools of servers, and may
 * contain `*`. Each kind is left alone if no word is about it.
 */
export function selectTools(words: readonly string[]): ToolFilter {
  const names = new Set(words.filter((word) => !isMountedPattern(word)).map(canonToolName));
  const patterns = words.filter(isMountedPattern).map((word) => parseToolPattern(word.trim()));
  return {
    words,
    keepsCard: (name) => names.size === 0 || names.has(canonToolName(name)),
    keepsMounted: ({ name, origin }, servers) =>
      patterns.length === 0 ||
      patterns.some((pattern) => pattern.grants({ tool: name, ...(origin && { origin }) }, servers)),
  };
}

/** What `--tools` and `--no-tools` leave of a box of our own tools. */
export function selectedBox(box: ToolBox, { tools = [], noTools = false }: Partial<ToolSelection>): ToolBox {
  const { keepsCard } = selectTools(tools);
  return viewBox(box, { show: (tool) => (!noTools && keepsCard(tool.name) ? tool : undefined) });
}
