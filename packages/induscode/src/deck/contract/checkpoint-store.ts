/** A regular file's state: its exact bytes and permission bits. */
export interface FileState {
  /** A large file is given in pieces, so that it is never whole in memory. The pieces can be read once. */
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
  /** Absent if the file system has no permission bits. */
  readonly mode?: number;
}

/** The state of a path before a change: a file, absent (`undefined`), or not readable. */
export type PreviousState = FileState | "unknown" | undefined;

/** Keeps the previous states of files under the current node of the transcript, so that a node can be undone. */
export interface CheckpointStore {
  /**
   * Keeps the state that a path had before a change. The first record of a path in a node wins.
   * Rejects if the state cannot be kept; the caller must then not change the file.
   */
  record(absPath: string, previous: PreviousState): Promise<void>;
  /**
   * Notes the state after a change of ours (`undefined` if the file is gone), so that a restore can find out whether
   * the file was changed by someone else since.
   */
  wrote?(absPath: string, current: FileState | undefined): Promise<void>;
}
