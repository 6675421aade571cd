/** Keeps answers of tools that are too long for the conversation. */
export interface ResultStore {
  keep(id: string, text: string): Promise<void>;
  /** Undefined if there is no such answer. */
  read(id: string): Promise<string | undefined>;
}

export function createMemoryResultStore(): ResultStore {
  const texts = new Map<string, string>();
  return {
    keep: async (id, text) => void texts.set(id, text),
    read: async (id) => texts.get(id),
  };
}
