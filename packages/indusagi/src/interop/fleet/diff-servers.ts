import { canonicalJson } from "../../core/index.ts";
import type { ReloadReport, ServerTimeouts } from "../contract/index.ts";
import type { CheckedRow } from "./check-rows.ts";

/** The rows of a configuration by id, and the timeouts for those without their own. */
export interface FleetRows {
  readonly rows: ReadonlyMap<string, CheckedRow>;
  readonly timeouts: ServerTimeouts | undefined;
}

/** Compares two configurations row by row. The timeouts of the whole configuration count as part of each row. */
export function diffServers(before: FleetRows, after: FleetRows): ReloadReport {
  const isSame = (id: string): boolean => contentOf(before, id) === contentOf(after, id);
  const stayed = [...after.rows.keys()].filter((id) => before.rows.has(id));
  return {
    added: [...after.rows.keys()].filter((id) => !before.rows.has(id)),
    removed: [...before.rows.keys()].filter((id) => !after.rows.has(id)),
    changed: stayed.filter((id) => !isSame(id)),
    kept: stayed.filter(isSame),
  };
}

function contentOf({ rows, timeouts }: FleetRows, id: string): string {
  const { config, fault } = rows.get(id) ?? {};
  return canonicalJson([
    { ...config, timeouts: { ...timeouts, ...config?.timeouts } },
    fault?.message ?? null,
  ]);
}
