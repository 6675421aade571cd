import type { ProtocolEra } from "../../contract/index.ts";

/**
 * Remembers the era of each server, so that it is not probed again: a probe costs a round trip and can make a process
 * exit.
 */
export interface EraMemory {
  recall(key: string): ProtocolEra | undefined;
  remember(key: string, era: ProtocolEra): void;
  /** Called for a server that refused to open: it may have been upgraded, so the next open probes again. */
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
