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
export async function ratioOf(variant: Variant, base: Variant, options: MeasureOptions = {}): Promise<Ratio> {
  const { rounds = 11 } = options;
  await timed(variant);
  await timed(base);
  const pairs: { readonly variantMs: number; readonly baseMs: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const variantFirst = round % 2 === 0;
    const first = await timed(variantFirst ? variant : base);
    const second = await timed(variantFirst ? base : variant);
    pairs.push(variantFirst ? { variantMs: first, baseMs: second } : { variantMs: second, baseMs: first });
  }
  const ratios = pairs.map(({ variantMs, baseMs }) => variantMs / baseMs);
  return {
    median: median(ratios),
    best: Math.min(...ratios),
    variantMs: median(pairs.map((pair) => pair.variantMs)),
    baseMs: median(pairs.map((pair) => pair.baseMs)),
  };
}

export interface Ratio {
  readonly median: number;
  readonly best: number;
  /** For scale only: times on a shared machine mean little. */
  readonly variantMs: number;
  readonly baseMs: number;
}

async function timed(variant: Variant): Promise<number> {
  await variant.prepare?.();
  const start = performance.now();
  await variant.run();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
