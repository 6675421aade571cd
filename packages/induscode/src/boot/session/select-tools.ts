import type { ToolDescriptor } from "indusagi/llm";
import { canonToolName, isMountedPattern } from "../../launch/internal.ts";
import { parseRule } from "../../policy/index.ts";

/** Which tools the words of `--tools` leave. */
export interface ToolFilter {
  /** Whether one of our own tools stays. */
  readonly keepsCard: (name: string) => boolean;
  /** Whether a tool of a server stays. */
  readonly keepsMounted: (tool: Pick<ToolDescriptor, "name" | "origin">) => boolean;
}

/**
 * Plain names select our own tools, compared without case, `_` and `-`. Names with `__` select tools of servers, and may
 * contain `*`. Each kind is left alone if no word is about it.
 */
export function selectTools(words: readonly string[]): ToolFilter {
  const names = new Set(words.filter((word) => !isMountedPattern(word)).map(canonToolName));
  const patterns = words.filter(isMountedPattern).flatMap((word) => parseRule(word, "allow").rule ?? []);
  const hasPatterns = words.some(isMountedPattern);
  return {
    keepsCard: (name) => names.size === 0 || names.has(canonToolName(name)),
    keepsMounted: ({ name, origin }) =>
      !hasPatterns ||
      patterns.some((rule) => rule.matchesTool({ tool: name, ...(origin ? { origin } : {}) })),
  };
}
