/** Keeps tool results that are too long for the conversation. */
export interface ResultStore {
  keep(id: string, text: string): Promise<void>;
  /** Undefined if there is none with this id. */
  read(id: string): Promise<string | undefined>;
}

export function createMemoryResultStore(): ResultStore {
  const texts = new Map<string, string>();
  return {
    keep: async (id, text) => void texts.set(id, text),
    read: async (id) => texts.get(id),
  };
}
