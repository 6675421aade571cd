/** One side of a comparison. */
export interface Variant {
  readonly name: string;
  run(): unknown;
  /** Runs before each sample and is not timed. Waits for cleanup that the previous sample left running. */
  prepare?(): Promise<unknown>;
}

export interface MeasureOptions {
  /** Samples per variant. */
  readonly rounds?: number;
}

/**
 * Measures `variant / base` once per round and summarizes the ratios. The side that runs first alternates, so that a
 * machine that becomes slower affects both sides equally.
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

/**
 * The same with several bases: each round measures all of them, with another one first, and the figure is that of the base
 * to which the ratio is greatest, which is the fastest one.
 */
export async function ratioToFastest(
  variant: Variant,
  bases: readonly Variant[],
  { rounds = 11 }: MeasureOptions = {},
): Promise<Figure> {
  const all = [variant, ...bases];
  for (const each of all) await timed(each);
  const ratios = bases.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    const ms = new Map<Variant, number>();
    for (const at of all.keys()) {
      const next = all[(at + round) % all.length] as Variant;
      ms.set(next, await timed(next));
    }
    for (const [at, base] of bases.entries())
      ratios[at]?.push((ms.get(variant) ?? Number.NaN) / (ms.get(base) ?? Number.NaN));
  }
  const figures = ratios.map(figureOf);
  return figures.reduce((worst, next) => (next.median > worst.median ? next : worst));
}

/** A summary of samples. Half of the samples are between `lower` and `upper`. */
export interface Figure {
  readonly median: number;
  readonly lower: number;
  readonly upper: number;
}

export function figureOf(samples: readonly number[]): Figure {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  return { median: at(1 / 2), lower: at(1 / 4), upper: at(3 / 4) };
}

async function timed(variant: Variant): Promise<number> {
  await variant.prepare?.();
  const start = performance.now();
  await variant.run();
  return performance.now() - start;
}
