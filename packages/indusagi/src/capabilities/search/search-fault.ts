import { CoreError, showDuration } from "../../core/index.ts";

/** Why a search failed: it took too long, its pattern is not valid or takes too much work, or the engine failed. */
export type SearchFaultKind = "timeout" | "pattern" | "budget" | "engine";

/** A search that failed. The message is for a model. */
export class SearchFault extends CoreError<SearchFaultKind> {}

export function searchTimedOut(deadlineMs: number): SearchFault {
  return new SearchFault(
    "timeout",
    `no result within ${showDuration(deadlineMs)}; search a smaller folder or use a simpler pattern`,
  );
}
