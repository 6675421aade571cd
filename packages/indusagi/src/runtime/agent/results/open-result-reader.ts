import type { ToolBox } from "../../contract/index.ts";
import type { ResultStore } from "./result-store.ts";

/**
 * A box with the one tool, `READ_RESULT`, through which a model reads stored results in windows and searches them. `maxChars`
 * bounds each of its own answers. The tool is loaded here: most programs store no results.
 */
export async function openResultReader(store: ResultStore, maxChars: number): Promise<ToolBox> {
  const { readResultBox } = await import("./read-result-tool.ts");
  return readResultBox(store, maxChars);
}
