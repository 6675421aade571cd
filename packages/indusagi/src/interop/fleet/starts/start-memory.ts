import type { StartHistory } from "../../contract/index.ts";
import { serverKey } from "../../endpoint/index.ts";

/** A history of starts that lasts as long as the process. It recognises a server by its command or URL, not by its id. */
export function createStartMemory(): StartHistory {
  const known = new Map<string, number>();
  const tried = new Set<string>();
  return {
    wasTried: (config) => tried.has(serverKey(config)),
    recordTry: (config) => void tried.add(serverKey(config)),
    readyMs: (config) => known.get(serverKey(config)),
    recordReady: (config, readyMs) => void known.set(serverKey(config), readyMs),
  };
}
