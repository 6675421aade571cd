import type { Figure } from "./measure.ts";

/** One comparison. `budgets.json` holds its budget under its id. */
export interface BenchCase {
  readonly id: string;
  /** What the ratio compares, e.g. `contentHash of a tool schema / JSON.stringify + sha256`. */
  readonly summary: string;
  /** Why it cannot be measured here. It is named with this and left out. */
  readonly skip?: string | undefined;
  readonly measure: () => Promise<Figure>;
}
