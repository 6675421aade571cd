import { appendFileSync } from "node:fs";

/** One result of the long run. */
export interface Figure {
  /** The action, e.g. `D7 kill -9 during write`. */
  readonly what: string;
  /** How often or how much, e.g. `500 kills`. */
  readonly size: string;
  /** The result, e.g. `0 torn files`. */
  readonly found: string;
}

/** Records a figure for `docs/faults.md` in the long run (`npm run faults`). Does nothing in `npm test`. */
export function recordFigure(figure: Figure): void {
  const file = process.env["INDUS_FIGURES"];
  if (file) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}
