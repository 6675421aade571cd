/** One thing to be timed, once a sample. */
export interface Variant {
  readonly name: string;
  run(): unknown;
  /** Runs before each sample, untimed: waits for what the sample before left to be cleared away. */
  prepare?(): Promise<unknown>;
}

export interface MeasureOptions {
  /** How often each variant is sampled. */
  readonly rounds?: number;
}

/**
 * Times a variant against a base as the median over rounds of (variant / base in the same round). The two take turns in
 * going first, so that a machine that slows down slows both.
 */
export async function ratioOf(
  variant: Variant,
  base: Variant,
  options: MeasureOptions = {},
): Promise<Figure> {
  const { rounds = 11 } = options;
  await timed(variant);
  await timed(base);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const variantFirst = round % 2 === 0;
    const first = await timed(variantFirst ? variant : base);
    const second = await timed(variantFirst ? base : variant);
    ratios.push(variantFirst ? first / second : second / first);
  }
  return figureOf(ratios);
}

/** What a number of samples come to. */
export interface Figure {
  readonly median: number;
  /** A quarter of the samples was as good as this. */
  readonly quarter: number;
}

export function figureOf(samples: readonly number[]): Figure {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  return { median: at(1 / 2), quarter: at(1 / 4) };
}

async function timed(variant: Variant): Promise<number> {
  await variant.prepare?.();
  const start = performance.now();
  await variant.run();
  return performance.now() - start;
}
