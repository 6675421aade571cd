import { canonicalJson } from "../../core/index.ts";
import type { BridgeConfig, ReloadReport, ServerConfig } from "../contract/index.ts";

/** The rows of a configuration by id, in order. If two rows have one id, the later row counts, at the position of the earlier. */
export function rowsOf(config: BridgeConfig | undefined): ReadonlyMap<string, ServerConfig> {
  return new Map((config?.servers ?? []).map((server) => [server.id, server]));
}

/** Compares two configurations row by row. The timeouts of the whole configuration count as part of each row. */
export function diffServers(before: BridgeConfig | undefined, after: BridgeConfig): ReloadReport {
  const old = rowsOf(before);
  const rows = rowsOf(after);
  const isSame = (id: string): boolean => contentOf(before, old.get(id)) === contentOf(after, rows.get(id));
  const stayed = [...rows.keys()].filter((id) => old.has(id));
  return {
    added: [...rows.keys()].filter((id) => !old.has(id)),
    removed: [...old.keys()].filter((id) => !rows.has(id)),
    changed: stayed.filter((id) => !isSame(id)),
    kept: stayed.filter(isSame),
  };
}

function contentOf(config: BridgeConfig | undefined, row: ServerConfig | undefined): string {
  return canonicalJson({ ...row, timeouts: { ...config?.timeouts, ...row?.timeouts } });
}
