import type { ServerConfig } from "indusagi/interop";
import type { Ask } from "../link/index.ts";

/** The row that a command wants to use, if one of its kind runs. */
export function rowOf({ row }: Ask): ServerConfig | undefined {
  const { id, kind } = (row ?? {}) as { readonly id?: unknown; readonly kind?: unknown };
  return typeof id === "string" && typeof kind === "string" ? (row as ServerConfig) : undefined;
}
