import type { ToolDescriptor } from "indusagi/llm";
import { type ToolBox, viewBox } from "indusagi/runtime";
import { canonToolName, isMountedPattern, type ToolSelection } from "../../launch/internal.ts";
import { parseToolPattern } from "../../policy/internal.ts";

/** The filter of `--tools`. */
export interface ToolFilter {
  readonly words: readonly string[];
  /** Who said the words, for messages. */
  readonly saidBy: string;
  /** Whether to keep one of our own tools. */
  readonly keepsCard: (name: string) => boolean;
  /** Whether to keep a tool of a server. `servers`: the ids of the approved servers, see `ToolPattern`. */
  readonly keepsMounted: (
    tool: Pick<ToolDescriptor, "name" | "origin">,
    servers?: readonly string[],
  ) => boolean;
}

/**
 * Plain names select our own tools, ignoring case, `_` and `-`. Names with `__` select tools of servers, and may contain `*`.
 * A kind that no word is about is not filtered.
 */
export function selectTools(words: readonly string[], saidBy = "--tools"): ToolFilter {
  const names = new Set(words.filter((word) => !isMountedPattern(word)).map(canonToolName));
  const patterns = words.filter(isMountedPattern).map((word) => parseToolPattern(word.trim()));
  return {
    words,
    saidBy,
    keepsCard: (name) => names.size === 0 || names.has(canonToolName(name)),
    keepsMounted: ({ name, origin }, servers) =>
      patterns.length === 0 ||
      patterns.some((pattern) => pattern.grants({ tool: name, ...(origin && { origin }) }, servers)),
  };
}

/** A box of our own tools, filtered by `--tools` and `--no-tools`. */
export function selectedBox(box: ToolBox, { tools = [], noTools = false }: Partial<ToolSelection>): ToolBox {
  const { keepsCard } = selectTools(tools);
  return viewBox(box, { show: (tool) => (!noTools && keepsCard(tool.name) ? tool : undefined) });
}
