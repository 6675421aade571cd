import { isProtocolFault } from "../../contract/index.ts";
import { symptomsOf } from "../faults/symptoms.ts";

/** Remembers why the last request failed: an SDK error about an event stream has neither a code nor a cause. */
export class FetchFailure {
  #last: unknown;

  watch(fetching: typeof fetch): typeof fetch {
    return async (input, init) => {
      try {
        return await fetching(input, init);
      } catch (thrown) {
        if (!init?.signal?.aborted) this.#last = thrown;
        throw thrown;
      }
    };
  }

  /** The remembered failure, if the thrown error itself explains nothing. */
  explain(thrown: unknown): unknown {
    const { status, code } = symptomsOf(thrown);
    const isExplained = isProtocolFault(thrown) || status !== undefined || code !== undefined;
    return isExplained ? thrown : (this.#last ?? thrown);
  }
}
