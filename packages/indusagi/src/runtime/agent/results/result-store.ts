import type { ToolBox } from "../../contract/index.ts";
import type { ResultStore } from "../contract.ts";

export function createMemoryResultStore(): ResultStore {
  const texts = new Map<string, string>();
  return {
    keep: async (id, text) => void texts.set(id, text),
    read: async (id) => texts.get(id),
    isEmpty: () => texts.size === 0,
  };
}

/**
 * A box with one tool, `READ_RESULT`, that lets a model read stored results in pieces and search them. `maxChars` limits
 * each of its own answers. The tool is loaded here: most programs store no results.
 */
export async function openResultReader(store: ResultStore, maxChars: number): Promise<ToolBox> {
  const { readResultBox } = await import("./read-result-tool.ts");
  return readResultBox(store, maxChars);
}
