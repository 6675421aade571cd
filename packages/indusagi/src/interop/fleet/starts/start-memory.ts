import { contentHash } from "../../../core/index.ts";
import type { ServerConfig, StartHistory } from "../../contract/index.ts";

/** A history of starts that lasts as long as the process. It recognises a server by its command or URL, not by its id. */
export function createStartMemory(): StartHistory {
  const known = new Map<string, number>();
  return {
    readyMs: (config) => known.get(launchKey(config)),
    recordReady: (config, readyMs) => void known.set(launchKey(config), readyMs),
  };
}

function launchKey(config: ServerConfig): string {
  if (config.kind !== "stdio") return contentHash([config.url]);
  return contentHash([config.command, config.args ?? [], config.cwd ?? null]);
}
