import type { Cell } from "../cells.ts";
import type { StepVerdict } from "../compare/verdict.ts";

/** How many steps are as without a gateway. */
export interface Tally {
  readonly steps: number;
  readonly identical: number;
  readonly justified: number;
  readonly different: number;
}

export function tallyOf(verdicts: readonly StepVerdict[]): Tally {
  const count = (kind: StepVerdict["kind"]): number =>
    verdicts.filter((verdict) => verdict.kind === kind).length;
  return {
    steps: verdicts.length,
    identical: count("identical"),
    justified: count("justified"),
    different: count("different"),
  };
}

export function stepsOf(cells: readonly Cell[]): readonly StepVerdict[] {
  return cells.flatMap(({ verdicts }) => verdicts);
}

/** A share in percent, with one decimal. Never 100.0 % if something is missing. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return "-";
  const share = Math.floor((part / whole) * 1000) / 10;
  return `${share === 100 ? "100" : share.toFixed(1)} %`;
}
