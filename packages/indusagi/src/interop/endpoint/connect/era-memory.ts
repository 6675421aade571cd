import { contentHash } from "../../../core/index.ts";
import type { ProtocolEra, ServerConfig } from "../../contract/index.ts";

/**
 * Remembers the era of each server, so it is not probed again: a probe costs a round trip and can make a process exit.
 */
export interface EraMemory {
  recall(key: string): ProtocolEra | undefined;
  remember(key: string, era: ProtocolEra): void;
  /** Called when a server refused the connection: it may have been upgraded, so the next attempt probes again. */
  forget?(key: string): void;
}

export function createEraMemory(): EraMemory {
  const verdicts = new Map<string, ProtocolEra>();
  return {
    recall: (key) => verdicts.get(key),
    remember: (key, era) => void verdicts.set(key, era),
    forget: (key) => void verdicts.delete(key),
  };
}

/** Identifies a server by its command or URL, so what is remembered about it survives a change of its id. */
export function serverKey(config: ServerConfig): string {
  if (config.kind !== "stdio") return contentHash([config.url]);
  return contentHash([config.command, config.args ?? [], config.cwd ?? null]);
}
