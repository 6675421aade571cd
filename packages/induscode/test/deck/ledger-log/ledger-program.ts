import { readFileSync } from "node:fs";
import { CoreError } from "indusagi/core";
import { openLedgerLog } from "induscode/deck";
import { sampleLedger } from "../ledger/sample-tools.ts";

/** The task of the program: JSON on its standard input. */
export interface LedgerTask {
  readonly folder: string;
  /** The segment to continue. Default: a new one. */
  readonly segment?: string;
  /** The number of entries to append, each acknowledged before the next. */
  readonly entries: number;
  /** Whether to keep running with the log open afterwards. */
  readonly stays?: boolean;
}

/** Its output, one JSON value per line. */
export type LedgerReport =
  | { readonly opened: string; readonly nextSeq: number }
  | { readonly acked: number }
  | { readonly refused: string; readonly at: number }
  | { readonly closed: true };

const report = (line: LedgerReport): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const task = JSON.parse(readFileSync(0, "utf8")) as LedgerTask;
let seq = 0;
try {
  const log = await openLedgerLog(task.folder, task.segment ? { segment: task.segment } : {});
  report({ opened: log.segment, nextSeq: log.nextSeq });
  let ledger = log.ledger;
  for (seq = log.nextSeq; seq <= task.entries; seq += 1) {
    const next = sampleLedger(seq, ledger);
    await log.append(next.log.slice(-1));
    report({ acked: seq });
    ledger = next;
  }
  if (task.stays) setInterval(() => {}, 1000);
  else {
    await log.close();
    report({ closed: true });
  }
} catch (thrown) {
  report({ refused: CoreError.is(thrown) ? thrown.kind : String(thrown), at: seq });
}
