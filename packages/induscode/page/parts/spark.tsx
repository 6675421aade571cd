import type { JSX } from "preact";
import type { Sparkline } from "../../src/console/contract.ts";
import { count } from "../figures.ts";

const WIDTH = 120;
const HEIGHT = 22;

/** Calls of the last hour as bars, with the failed part on top. */
export function Spark({ activity }: { readonly activity: Sparkline }): JSX.Element {
  const { calls, errors } = activity;
  const most = Math.max(1, ...calls);
  const step = WIDTH / Math.max(1, calls.length);
  const total = sum(calls);
  const failed = sum(errors);
  const height = (value: number): number => (value === 0 ? 0 : Math.max(1.5, (value / most) * HEIGHT));
  const bars = (values: readonly number[]): string =>
    values
      .map((value, at) => {
        const tall = height(value);
        return value === 0
          ? ""
          : `M${(at * step).toFixed(1)} ${HEIGHT}v-${tall.toFixed(1)}h${Math.max(1, step - 0.6).toFixed(1)}v${tall.toFixed(1)}z`;
      })
      .join("");
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${count(total)} calls in the last hour, ${count(failed)} failed`}
    >
      <path class="spark-base" d={`M0 ${HEIGHT - 0.5}h${WIDTH}`} />
      <path class="spark-calls" d={bars(calls)} />
      <path class="spark-errors" d={bars(errors)} />
    </svg>
  );
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
