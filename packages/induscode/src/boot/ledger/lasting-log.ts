import { type LedgerLog, LedgerLogError, type OpenLogOptions, openLedgerLog } from "../../deck/log/index.ts";

/**
 * Opens a log for a run that may take weeks. After a write or flush that failed, a log accepts nothing until it is opened
 * again, because the state of its last bytes is not known. This one opens its segment again before the next entries; what is
 * incomplete is set aside then.
 */
export async function openLastingLog(folder: string, options: OpenLogOptions): Promise<LedgerLog> {
  const { sweep: _, ...again } = options;
  let current = await openLedgerLog(folder, options);
  const { segment, path, ledger, swept, setAside } = current;
  let reopening: Promise<void> | undefined;
  const reopen = async (failed: LedgerLog): Promise<void> => {
    // Its lock must be released first. That it cannot be closed changes nothing: it has failed already.
    await failed.close().catch(() => {});
    current = await openLedgerLog(folder, { ...again, segment });
  };
  const reopened = async (failed: LedgerLog): Promise<LedgerLog> => {
    // Several appends may find the same failed log.
    if (failed === current)
      await (reopening ??= reopen(failed).finally(() => {
        reopening = undefined;
      }));
    return current;
  };
  const close = (): Promise<void> => current.close();
  return {
    segment,
    path,
    ledger,
    ...(swept ? { swept } : {}),
    ...(setAside ? { setAside } : {}),
    get nextSeq() {
      return current.nextSeq;
    },
    append: async (items) => {
      const log = current;
      try {
        return await log.append(items);
      } catch (thrown) {
        if (!(thrown instanceof LedgerLogError) || thrown.kind !== "failed") throw thrown;
        return (await reopened(log)).append(items);
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
