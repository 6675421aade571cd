import { appendFileSync } from "node:fs";

/** One measured figure of the long run. */
export interface Figure {
  /** What was done, e.g. `D7 kill -9 during write`. */
  readonly what: string;
  /** How often or how much, e.g. `500 kills`. */
  readonly size: string;
  /** What came of it, e.g. `0 torn files`. */
  readonly found: string;
}

/** Puts a figure on record. In the long run it goes to the page the run writes; in the everyday run it is dropped. */
export function recordFigure(figure: Figure): void {
  const file = process.env["INDUS_FIGURES"];
  if (file) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}
