import {
  type LedgerLog,
  LedgerLogError,
  type OpenLogOptions,
  openLedgerLog,
} from "../../deck/ledger-log/index.ts";

/** A segment is compacted when it is larger than this and twice as large as after the last compaction. */
const COMPACT_BYTES = 8 * 1024 * 1024;

export interface LastingLogOptions extends OpenLogOptions {
  /** Default 8 MiB. */
  readonly compactBytes?: number;
}

/**
 * Opens a log for a run that may take weeks. After a failed write or flush, a log accepts nothing until it is reopened, because
 * its last bytes are in an unknown state. This one reopens its segment before the next entries, which sets incomplete ones
 * aside. A segment that has grown large is compacted and renumbered; the numbers that callers see continue.
 */
export async function openLastingLog(folder: string, options: LastingLogOptions): Promise<LedgerLog> {
  const { sweep: _, compactBytes = COMPACT_BYTES, ...again } = options;
  let current = await openLedgerLog(folder, options);
  const { segment, path, ledger, swept, setAside } = current;
  /** How far the numbers of callers are ahead of the segment. */
  let ahead = 0;
  let limit = compactBytes;
  let appending = 0;
  let isClosed = false;
  let reopening: Promise<void> | undefined;
  const reopen = async (failed: LedgerLog, compact = false): Promise<void> => {
    const { nextSeq } = failed;
    // Releases its lock. An error changes nothing: the log has failed already.
    await failed.close().catch(() => {});
    try {
      current = await openLedgerLog(folder, { ...again, segment, compact });
    } catch (thrown) {
      if (!compact) throw thrown;
      current = await openLedgerLog(folder, { ...again, segment });
    }
    if (!compact) return;
    ahead += nextSeq - current.nextSeq;
    limit = Math.max(compactBytes, 2 * current.bytes);
  };
  const reopened = async (failed: LedgerLog, compact = false): Promise<LedgerLog> => {
    // Several appends may find the same failed log.
    if (failed === current)
      await (reopening ??= reopen(failed, compact).finally(() => {
        reopening = undefined;
      }));
    return current;
  };
  const append: LedgerLog["append"] = async (items) => {
    if (appending === 0 && current.bytes > limit && !isClosed) await reopened(current, true);
    else if (reopening) await reopening;
    appending += 1;
    const numbered = items.map((item) => ("seq" in item ? { ...item, seq: item.seq - ahead } : item));
    const log = current;
    try {
      return await log.append(numbered);
    } catch (thrown) {
      if (!(thrown instanceof LedgerLogError) || isClosed) throw thrown;
      if (thrown.kind !== "failed" && thrown.kind !== "closed") throw thrown;
      return await (await reopened(log)).append(numbered);
    } finally {
      appending -= 1;
    }
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    await reopening?.catch(() => {});
    await current.close();
  };
  return {
    segment,
    path,
    ledger,
    ...(swept ? { swept } : {}),
    ...(setAside ? { setAside } : {}),
    get nextSeq() {
      return current.nextSeq + ahead;
    },
    get bytes() {
      return current.bytes;
    },
    append,
    close,
    [Symbol.asyncDispose]: close,
  };
}
