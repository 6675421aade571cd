import { join } from "node:path";
import { describeError } from "indusagi/core";
import type { DecisionRecord, LedgerLog } from "../../deck/ledger-log/index.ts";

export interface RunLedgerOptions {
  /** The state folder of the workspace. */
  readonly state: () => Promise<string>;
  /** Called once with one line if nothing can be recorded. */
  readonly report: (message: string) => void;
}

/**
 * The ledger's log of one run. The first use creates the segment, so a command that only lists leaves none. After the end
 * none is created, because it would stay open.
 */
export interface RunLedger extends AsyncDisposable {
  /** Undefined after the end, or if it cannot be written, which is reported once. */
  log(): Promise<LedgerLog | undefined>;
  /** Stores decisions about changed tools. Never throws. */
  record(decisions: readonly DecisionRecord[]): void;
}

/** The folder with the segments of a workspace. */
export function ledgerFolder(state: string): string {
  return join(state, "ledger");
}

export function createRunLedger({ state, report }: RunLedgerOptions): RunLedger {
  let opening: Promise<LedgerLog | undefined> | undefined;
  let recording: Promise<void> = Promise.resolve();
  let isClosed = false;
  const open = async (): Promise<LedgerLog | undefined> => {
    try {
      const folder = await state();
      const [{ openLastingLog }, { keepLastStates }] = await Promise.all([
        import("./lasting-log.ts"),
        import("../../servers/memory/index.ts"),
      ]);
      const keep = (states: Parameters<typeof keepLastStates>[1]): void =>
        keepLastStates(join(folder, "catalogue"), states);
      return await openLastingLog(ledgerFolder(folder), { sweep: { keep } });
    } catch (thrown) {
      report(`changes of the tools are not recorded: ${describeError(thrown)}`);
      return undefined;
    }
  };
  const log = (): Promise<LedgerLog | undefined> =>
    (opening ??= isClosed ? Promise.resolve(undefined) : open());
  const append = async (decisions: readonly DecisionRecord[]): Promise<void> => {
    try {
      await (await log())?.append(decisions);
    } catch (thrown) {
      report(`a decision about a changed tool is not recorded: ${describeError(thrown)}`);
    }
  };
  return {
    log,
    record: (decisions) => {
      recording = recording.then(() => append(decisions));
    },
    [Symbol.asyncDispose]: async () => {
      await recording;
      isClosed = true;
      await (await opening)?.close();
    },
  };
}
