/** One side of a comparison that is timed. */
export interface Variant {
  readonly name: string;
  run(): unknown;
  /** Runs before each sample and is not timed. Waits for cleanup that the previous sample left running. */
  prepare?(): Promise<unknown>;
}

/** One side of a comparison that measures itself, e.g. its processor time or the median of its calls. */
export interface Sampler {
  readonly name: string;
  sample(): Promise<number>;
}

/** One round of everything shows that it runs. Its figures mean nothing. */
export const TRIAL: boolean = process.argv.includes("--trial");

export interface MeasureOptions {
  /** Samples per variant. */
  readonly rounds?: number;
}

/**
 * Measures `variant / base` once per round and summarizes the ratios. The side that runs first alternates, so that a
 * machine that becomes slower affects both sides equally.
 */
export async function ratioOf(
  variant: Variant | Sampler,
  base: Variant | Sampler,
  options: MeasureOptions = {},
): Promise<Figure> {
  return (await ratiosTo(base, [variant], options))[0] as Figure;
}

/** The same for several variants: each round measures the base and all of them, with another one first. */
export async function ratiosTo(
  base: Variant | Sampler,
  variants: readonly (Variant | Sampler)[],
  options: MeasureOptions = {},
): Promise<Figure[]> {
  const rounds = await alternated([base, ...variants], options);
  return variants.map((_, at) =>
    figureOf(rounds.map((values) => (values[at + 1] ?? Number.NaN) / (values[0] ?? Number.NaN))),
  );
}

/**
 * The same with several bases: the figure is that of the base to which the ratio is greatest, which is the fastest one.
 */
export async function ratioToFastest(
  variant: Variant,
  bases: readonly Variant[],
  options: MeasureOptions = {},
): Promise<Figure> {
  const rounds = await alternated([variant, ...bases], options);
  const figures = bases.map((_, at) =>
    figureOf(rounds.map((values) => (values[0] ?? Number.NaN) / (values[at + 1] ?? Number.NaN))),
  );
  return figures.reduce((worst, next) => (next.median > worst.median ? next : worst));
}

/** The values of each side by round. One sample of each comes before, so that everything is loaded and compiled. */
async function alternated(
  sides: readonly (Variant | Sampler)[],
  { rounds = 11 }: MeasureOptions,
): Promise<number[][]> {
  const samplers = sides.map((side) => ("sample" in side ? side : timed(side)));
  for (const each of samplers) await each.sample();
  const found: number[][] = [];
  for (let round = 0; round < (TRIAL ? 1 : rounds); round++) {
    const values: number[] = [];
    for (const at of samplers.keys()) {
      const next = (at + round) % samplers.length;
      values[next] = (await samplers[next]?.sample()) ?? Number.NaN;
    }
    found.push(values);
  }
  return found;
}

function timed(variant: Variant): Sampler {
  return {
    name: variant.name,
    sample: async () => {
      await variant.prepare?.();
      const start = performance.now();
      await variant.run();
      return performance.now() - start;
    },
  };
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
