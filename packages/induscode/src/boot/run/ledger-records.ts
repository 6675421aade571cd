import { join } from "node:path";
import type { ServerConfig } from "indusagi/interop";
import {
  diffHistory,
  explainTool,
  type HistoryDiff,
  type LedgerHistory,
  readLedgerHistory,
  showHistory,
  type ToolExplanation,
} from "../../deck/history/index.ts";
import { type KeptState, readLastStates } from "../../servers/memory/index.ts";
import {
  approveChanges,
  dropUnusablePins,
  refuseChanges,
  type UnusablePins,
  type WaitingChange,
  type WaitingChanges,
  waitingChanges,
} from "../../servers/pins/index.ts";
import type { Run } from "./open-run.ts";

/** What earlier runs of this workspace recorded about servers' tools, and what waits for the user. */
export interface LedgerRecords {
  history(): Promise<LedgerHistory>;
  /** See `showHistory`. */
  show(history: LedgerHistory): string;
  /** See `diffHistory`. Throws a `RangeError` for an invalid moment. */
  diff(history: LedgerHistory, from: string, to: string): HistoryDiff;
  /** See `explainTool`. */
  explain(history: LedgerHistory, tool: string): readonly ToolExplanation[];
  /** What is still known about tools whose records have expired. */
  keptStates(): readonly KeptState[];
  /** The changes that wait for approval. */
  waiting(): WaitingChanges;
  /** Approves exactly these changes and records that. Resolves to how many still applied. Rejects if that cannot be stored. */
  approve(changes: readonly WaitingChange[]): Promise<number>;
  /** Refuses exactly these changes: they no longer wait. Resolves to how many still applied. */
  refuse(changes: readonly WaitingChange[]): Promise<number>;
  /** Removes the pins of these servers that cannot be used. */
  dropUnusable(servers: readonly ServerConfig[]): readonly UnusablePins[];
}

/** Rejects with a `StateError` if there is no state folder. */
export async function ledgerRecords(run: Pick<Run, "state">): Promise<LedgerRecords> {
  const { path: state } = await run.state.folder();
  const pins = await run.state.pinFolder();
  return {
    history: () => run.state.ledgerFolder().then((folder) => readLedgerHistory(folder)),
    show: showHistory,
    diff: diffHistory,
    explain: explainTool,
    keptStates: () => readLastStates(join(state, "catalogue")),
    waiting: () => waitingChanges(pins),
    approve: async (changes) => {
      const decisions = await approveChanges(pins, changes);
      run.state.ledger.record(decisions);
      return decisions.length;
    },
    refuse: (changes) => refuseChanges(pins, changes),
    dropUnusable: (servers) => dropUnusablePins(pins, servers),
  };
}

export type { WaitingChange };
