import { shortenText } from "../../core/index.ts";
import { type ToolDescriptor, toolSignature } from "../../llm/index.ts";
import type { ToolResult } from "../contract/index.ts";
import { textResult } from "../results.ts";
import { TOOL_CALL, TOOL_DESCRIBE } from "./own-tools.ts";
import { firstSentence } from "./search/index.ts";

/** Results that are shown with their signature. */
const SIGNATURES = 10;
/** Results in one answer. Those after the first are shown by name only, which costs little and is often enough. */
export const MAX_FOUND = 40;
const MAX_SIGNATURE = 400;
const MAX_PURPOSE = 160;

/** The answer of a search: the best with their signatures and purposes in one line each, then the names of others. */
export function foundResult(found: readonly ToolDescriptor[], all: readonly ToolDescriptor[]): ToolResult {
  if (found.length === 0) return textResult(`No tool matches. ${serversText(all)}`);
  const best = found.slice(0, SIGNATURES);
  const others = found.slice(SIGNATURES).map(({ name }) => name);
  return textResult(
    [
      `${best.length} of ${all.length} tools, the best first. Run one with ${TOOL_CALL}; ${TOOL_DESCRIBE} gives its whole definition.`,
      ...best.map((tool) => `${signatureLine(tool)}\n  ${purposeLine(tool)}`),
      ...(others.length > 0 ? [`Less likely: ${others.join(", ")}`] : []),
    ].join("\n"),
  );
}

function signatureLine(tool: ToolDescriptor): string {
  return shortenText(toolSignature(tool), MAX_SIGNATURE);
}

function purposeLine({ description, title }: ToolDescriptor): string {
  return shortenText(firstSentence(description) || title || "(no description)", MAX_PURPOSE);
}

/** What there is to search in: each server with the number of its tools. */
function serversText(all: readonly ToolDescriptor[]): string {
  const counts = new Map<string, number>();
  for (const { origin } of all) counts.set(origin?.server ?? "", (counts.get(origin?.server ?? "") ?? 0) + 1);
  const servers = [...counts].map(
    ([server, count]) => `${server === "" ? "native tools" : server} (${count})`,
  );
  return servers.length === 0 ? "There are no tools." : `Try other words. Servers: ${servers.join(", ")}.`;
}
