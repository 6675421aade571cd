/** A regular file's state: its exact bytes and permission bits. */
export interface FileState {
  /** Large files come in pieces, to never be whole in memory. The pieces can be read once. */
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
  /** Absent if the file system has no permission bits. */
  readonly mode?: number;
}

/** The state of a path before a change: a file, absent (`undefined`), or not readable. */
export type PreviousState = FileState | "unknown" | undefined;

/** Keeps the previous states of files under the current node of the transcript, to undo a node. */
export interface CheckpointStore {
  /**
   * Keeps the state that a path had before a change. The first record of a path in a node wins.
   * Rejects if the state cannot be kept; the caller must then not change the file.
   */
  record(absPath: string, previous: PreviousState): Promise<void>;
  /**
   * Notes the state after our change (`undefined` if the file is gone), so a restore can detect whether someone else changed
   * the file since.
   */
  wrote?(absPath: string, current: FileState | undefined): Promise<void>;
}
