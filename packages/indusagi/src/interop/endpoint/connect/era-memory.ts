import type { ProtocolEra } from "../../contract/index.ts";

/** Remembers which era a server spoke, so that it is not probed again: a probe costs a round trip, or a process its life. */
export interface EraMemory {
  recall(key: string): ProtocolEra | undefined;
  remember(key: string, era: ProtocolEra): void;
  /** A server that would not be opened may have been renewed: without a verdict it is probed again. */
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
