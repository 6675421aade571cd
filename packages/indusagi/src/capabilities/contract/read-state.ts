/** A file as a session last saw it. */
export interface ReadRecord {
  readonly mtimeMs: number;
  readonly size: number;
  /** Hash of the bytes. Absent for files too large to hash; then time and size are compared. */
  readonly contentHash?: string;
  /** In milliseconds since the Unix epoch. */
  readonly readAt: number;
}

/**
 * The files that a session has seen, by absolute real path. A host that sets `ctx.framework.readState` enables the
 * read-before-edit gate: a file that the session has not seen, or that has changed since, is not overwritten.
 */
export interface ReadStateHandle {
  get(path: string): ReadRecord | undefined;
  set(path: string, record: ReadRecord): void;
  has(path: string): boolean;
}
