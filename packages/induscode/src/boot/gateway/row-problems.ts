import { Listeners } from "indusagi/core";
import type { RowProblem } from "../sources/find-servers.ts";

/** The rows of a gateway that cannot be used, which change with its configuration. */
export class RowProblems {
  readonly #changes = new Listeners();
  #problems: readonly RowProblem[];

  constructor(problems: readonly RowProblem[]) {
    this.#problems = problems;
  }

  of(server: string): string | undefined {
    return this.#problems.find((each) => each.server === server)?.problem;
  }

  replace(problems: readonly RowProblem[]): void {
    this.#problems = problems;
    this.#changes.emit();
  }

  /** Calls the listener when they may have changed, as long as the gateway serves. */
  onChange(listener: () => void): void {
    this.#changes.add(listener);
  }
}
