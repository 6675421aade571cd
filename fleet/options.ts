import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

export interface FleetOptions {
  /** Only these servers; then no page is written. */
  readonly only: readonly string[];
  readonly skipInstall: boolean;
  /** Take the results of an earlier run that are still valid. */
  readonly resume: boolean;
  /** Compare definitions and calls. */
  readonly compares: boolean;
  /** Measure the whole fleet in one configuration. */
  readonly measures: boolean;
  /** The folder for installed servers and everything they write. */
  readonly cache: string;
  /** The file that starts an earlier build of `indus`, to compare the total time with. */
  readonly base?: string;
  /** Chooses the moments of Ctrl-C. */
  readonly seed: number;
}

export const USAGE = `npm run fleet -- [OPTION …]
  --only NAME,…    use only these servers of fleet/servers.json; print the result, write no page
  --skip-install   use what is installed; do not run npm
  --resume         keep valid results of an earlier run that did not finish
  --no-compare     do not compare definitions and calls (with --only or for a quick look; writes no page)
  --no-figures     do not measure the fleet as a whole (writes no page)
  --cache DIR      install and run the servers there (default: indus-fleet in the folder for temporary files)
  --base FILE      also measure the total time of this earlier packages/induscode/bin/indus.js
  --seed N         choose the same moments of Ctrl-C again
`;

/** Throws, with the usage, if an option is unknown or has no value. */
export function parseFleetOptions(args: readonly string[]): FleetOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", multiple: true, default: [] },
      "skip-install": { type: "boolean", default: false },
      resume: { type: "boolean", default: false },
      "no-compare": { type: "boolean", default: false },
      "no-figures": { type: "boolean", default: false },
      cache: { type: "string", default: join(tmpdir(), "indus-fleet") },
      base: { type: "string" },
      seed: { type: "string" },
    },
  });
  const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new Error(`--seed: ${values.seed} is not a whole number`);
  return {
    only: values.only.flatMap((names) => names.split(",")).filter((name) => name !== ""),
    skipInstall: values["skip-install"],
    resume: values.resume,
    compares: !values["no-compare"],
    measures: !values["no-figures"],
    cache: resolve(values.cache),
    seed,
    ...(values.base === undefined ? {} : { base: resolve(values.base) }),
  };
}

/** Whether this run covers everything that the page shows. */
export function isWholeRun({ only, compares, measures }: FleetOptions): boolean {
  return only.length === 0 && compares && measures;
}
