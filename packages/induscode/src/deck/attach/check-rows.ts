import type { BridgeConfig, ServerConfig } from "indusagi/interop";
import { DeckFault } from "../contract/index.ts";

/** The rows of a configuration that can be mounted, and what is wrong with the others. */
export interface CheckedRows {
  readonly servers: readonly ServerConfig[];
  readonly fault?: DeckFault;
}

/** Checks what a fleet relies on: a list of rows, each with an id. Everything else is a fault of one server, in its status. */
export function checkRows({ servers }: { readonly servers?: unknown }): CheckedRows {
  if (!Array.isArray(servers))
    return { servers: [], fault: new DeckFault("bridge", "the configuration has no list of servers") };
  const rows: readonly unknown[] = servers;
  const bad = rows.flatMap((row, index) => (isRow(row) ? [] : [index + 1]));
  if (bad.length === 0) return { servers: rows.filter(isRow) };
  const which = bad.length === 1 ? `row ${bad[0]} has` : `rows ${bad.join(", ")} have`;
  return {
    servers: rows.filter(isRow),
    fault: new DeckFault(
      "bridge",
      `${which} no id and cannot be mounted; give each server an "id" that is not empty`,
    ),
  };
}

function isRow(row: unknown): row is BridgeConfig["servers"][number] {
  return (
    typeof row === "object" && row !== null && "id" in row && typeof row.id === "string" && row.id !== ""
  );
}
