import { joinSignals } from "indusagi/core";

/** Saves a whole folder around the commands of a turn, each time within a deadline. */
export interface TreeSnapshots {
  /** Saves the folder before the first command of the turn. Rejects with the reason if that is impossible. */
  before(): Promise<KeptFolder>;
  /** Finds what the commands of the turn changed. */
  after(): Promise<void>;
  /** A deadline for reading the folder again. */
  deadline(): AbortSignal;
}

export interface SnapshotOptions {
  readonly history: Pick<FileHistory, "beginCommands" | "endCommands">;
  /** Stops a running snapshot. */
  readonly signal?: AbortSignal;
  /** How long one snapshot may take. Default: 15 s. */
  readonly deadlineMs?: number;
  /** How long a snapshot may take after the signal, at the end of the aborted turn. Default: 1 s. */
  readonly lastDeadlineMs?: number;
}

const DEADLINE_MS = 15_000;
/** A stopped program exits after two seconds. */
const LAST_DEADLINE_MS = 1_000;

export function openTreeSnapshots(options: SnapshotOptions): TreeSnapshots {
  const { history, signal, deadlineMs = DEADLINE_MS, lastDeadlineMs = LAST_DEADLINE_MS } = options;
  let last: AbortSignal | undefined;
  const limit = (ms: number): AbortSignal => {
    const stop = new AbortController();
    const seconds = ms / 1000;
    setTimeout(() => stop.abort(new Error(`reading the folder takes longer than ${seconds} s`)), ms).unref();
    return stop.signal;
  };
  const deadline = (): AbortSignal => {
    if (signal?.aborted) return (last ??= limit(lastDeadlineMs));
    return joinSignals(signal, limit(deadlineMs));
  };
  return {
    before: () => history.beginCommands({ signal: deadline() }),
    after: () => history.endCommands({ signal: deadline() }),
    deadline,
  };
}

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
