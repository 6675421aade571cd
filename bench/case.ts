import type { Figure } from "./measure.ts";

/** One bench: what is compared with what. Its budget is in `budgets.json` under its id. */
export interface BenchCase {
  readonly id: string;
  /** What the ratio means, e.g. `contentHash of a tool schema / JSON.stringify + sha256`. */
  readonly summary: string;
  measure(): Promise<Figure>;
}
