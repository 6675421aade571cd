import { canonicalJson } from "../../core/index.ts";
import type { BridgeConfig, ReloadReport, ServerConfig } from "../contract/index.ts";

/** The rows of a configuration by id, in its order. Of two with one id the later counts, in the place of the earlier. */
export function rowsOf(config: BridgeConfig | undefined): ReadonlyMap<string, ServerConfig> {
  return new Map((config?.servers ?? []).map((server) => [server.id, server]));
}

/** How one configuration differs from another. Rows are compared by what they say, deadlines of the whole included. */
export function diffServers(before: BridgeConfig | undefined, after: BridgeConfig): ReloadReport {
  const old = rowsOf(before);
  const rows = rowsOf(after);
  const isSame = (id: string): boolean => meaningOf(before, old.get(id)) === meaningOf(after, rows.get(id));
  const stayed = [...rows.keys()].filter((id) => old.has(id));
  return {
    added: [...rows.keys()].filter((id) => !old.has(id)),
    removed: [...old.keys()].filter((id) => !rows.has(id)),
    changed: stayed.filter((id) => !isSame(id)),
    kept: stayed.filter(isSame),
  };
}

function meaningOf(config: BridgeConfig | undefined, row: ServerConfig | undefined): string {
  return canonicalJson({ ...row, timeouts: { ...config?.timeouts, ...row?.timeouts } });
}
