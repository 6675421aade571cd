import { contentHash } from "../../../core/index.ts";
import type { ServerConfig } from "../../contract/index.ts";

/** Identifies a server by its command or URL, not by its id: what is remembered about it survives a new id. */
export function serverKey(config: ServerConfig): string {
  if (config.kind !== "stdio") return contentHash([config.url]);
  return contentHash([config.command, config.args ?? [], config.cwd ?? null]);
}
