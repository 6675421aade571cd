import type { ConfigPlace, ConfigRow } from "../contract.ts";

/**
 * The rows of configuration files that are read again and again while others change them: a row that cannot be used any more
 * counts as if its file still had its last good form. A row that was removed has none.
 */
export interface LastGoodRows {
  /** The last good form of a row. */
  find(place: ConfigPlace, id: string): ConfigRow | undefined;
  /** Keeps the rows of a file as they are used now, and forgets those that it no longer has. */
  keep(place: ConfigPlace, rows: readonly ConfigRow[]): void;
}

export function lastGoodRows(): LastGoodRows {
  const good = new Map<string, ReadonlyMap<string, ConfigRow>>();
  const keyOf = ({ scope, file }: ConfigPlace): string => JSON.stringify([scope, file]);
  return {
    find: (place, id) => good.get(keyOf(place))?.get(id),
    keep: (place, rows) => {
      const named = rows.map(({ problem: _problem, ...row }) => [row.config.id, row] as const);
      good.set(keyOf(place), new Map(named));
    },
  };
}
