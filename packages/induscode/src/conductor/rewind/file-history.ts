/** The part of the checkpoint store that a session uses. */
export interface FileHistory {
  /** The id to open it again. */
  readonly session: string;
  readonly nodes: readonly {
    readonly id: string;
    readonly paths: readonly string[];
    /** Commands ran in it, and what they changed can be undone. */
    readonly hasCommands: boolean;
  }[];
  beginNode(id?: string): Promise<string>;
  /**
   * Saves the whole folder before the first command of a node. Rejects with the reason if that is impossible, with the code
   * `NO_WORK_TREE` if the folder is not in a git work tree.
   */
  beginCommands(options: { readonly signal: AbortSignal }): Promise<KeptFolder>;
  /** Finds what the commands changed. */
  endCommands(options: { readonly signal: AbortSignal }): Promise<void>;
  rewind(
    node: string,
    options?: { readonly force?: boolean; readonly signal?: AbortSignal },
  ): Promise<HistoryRewind>;
}

export interface KeptFolder {
  readonly id: string;
  /** What was not saved, except for ignored files. */
  readonly unkept: readonly PathReason[];
}

export interface HistoryRewind {
  readonly done: boolean;
  readonly restored: readonly string[];
  readonly removed: readonly string[];
  readonly conflicts: readonly PathReason[];
  readonly skipped: readonly PathReason[];
}

export interface PathReason {
  readonly path: string;
  readonly reason: string;
}
