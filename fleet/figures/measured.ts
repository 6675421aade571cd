/** One figure of the whole fleet, with what it should be. */
export interface Figure {
  readonly summary: string;
  /** As shown; undefined if it could not be measured. */
  readonly shown: string | undefined;
  readonly target: string;
  /** Undefined if there is nothing to judge. */
  readonly isMet: boolean | undefined;
}

export interface FigureInput {
  readonly summary: string;
  /** Undefined if it could not be measured, which counts as a miss. */
  readonly value: number | undefined;
  readonly limit: number;
  readonly unit: "ms" | "s" | "MB" | "×" | "";
}

/** A figure that must not be above its limit. */
export function figure({ summary, value, limit, unit }: FigureInput): Figure {
  return {
    summary,
    shown: value === undefined ? undefined : withUnit(value, unit),
    target: `≤ ${withUnit(limit, unit)}`,
    isMet: value !== undefined && value <= limit,
  };
}

/** A figure without a limit of its own. */
export function plainFigure(summary: string, shown: string | undefined): Figure {
  return { summary, shown, target: "-", isMet: undefined };
}

/** Stands for figures that could not be measured, which counts as a miss. */
export function failedFigure(name: string, thrown: unknown): Figure {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return { summary: `${name}: ${reason}`, shown: undefined, target: "-", isMet: false };
}

export function withUnit(value: number, unit: FigureInput["unit"]): string {
  const rounded = unit === "×" || unit === "s" ? value.toFixed(2) : String(Math.round(value));
  return unit === "" ? rounded : `${rounded} ${unit}`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}
