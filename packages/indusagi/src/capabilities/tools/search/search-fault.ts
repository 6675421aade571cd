import { CoreError } from "../../../core/index.ts";

/** Why a search gave no answer: its time was up, what to look for cannot be understood, or the engine broke. */
export type SearchFaultKind = "timeout" | "pattern" | "engine";

/** A search that gave no answer. The message is fit to be shown to a model. */
export class SearchFault extends CoreError<SearchFaultKind> {}

export function searchTimedOut(deadlineMs: number): SearchFault {
  const seconds = Math.round(deadlineMs / 100) / 10;
  return new SearchFault(
    "timeout",
    `gave up after ${seconds} s with no answer; search a smaller folder or for something simpler`,
  );
}
