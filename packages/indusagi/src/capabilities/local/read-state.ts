import type { ReadRecord, ReadStateHandle } from "../contract/index.ts";

/** A read state kept in memory, for one session. */
export function createReadState(): ReadStateHandle {
  const records = new Map<string, ReadRecord>();
  return {
    get: (path) => records.get(path),
    set: (path, record) => void records.set(path, record),
    has: (path) => records.has(path),
  };
}
