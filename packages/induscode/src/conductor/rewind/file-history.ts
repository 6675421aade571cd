/** The checkpoint store of a session, as far as a session uses it. */
export interface FileHistory {
  /** Its id, to open it again. */
  readonly session: string;
  readonly nodes: readonly { readonly id: string; readonly paths: readonly string[] }[];
  beginNode(id?: string): Promise<string>;
  rewind(node: string, options?: { readonly force?: boolean }): Promise<HistoryRewind>;
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
