/** What a session knew of a file when it last saw it. */
export interface ReadRecord {
  readonly mtimeMs: number;
  readonly size: number;
  /** Hash of the bytes. Absent for files too large to hash; then time and size decide. */
  readonly contentHash?: string;
  /** When it was seen, in milliseconds since the Unix epoch. */
  readonly readAt: number;
}

/**
 * Which files a session has seen, by absolute real path. A host that provides one on `ctx.framework.readState`
 * switches on the read-before-edit gate: what was not seen, or has changed since, is not written over.
 */
export interface ReadStateHandle {
  get(path: string): ReadRecord | undefined;
  set(path: string, record: ReadRecord): void;
  has(path: string): boolean;
}
