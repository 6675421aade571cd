import { settlesWithin } from "indusagi/core";
import { type ToolBox, wrapCalls } from "indusagi/runtime";

export interface PatientBoxOptions {
  /** Resolves when no further tools are expected. */
  readonly until: Promise<unknown>;
  /** The longest wait of one call. */
  readonly waitMs: number;
}

/**
 * A box whose calls wait for a tool that is not there yet. A client may know a tool from an earlier session and call it while
 * its server starts.
 */
export function patientBox(box: ToolBox, { until, waitMs }: PatientBoxOptions): ToolBox {
  let isOver = false;
  void until.then(() => (isOver = true));
  const hasTool = (name: string): boolean => box.descriptors().some((tool) => tool.name === name);
  const toolOrEnd = async (name: string, signal: AbortSignal | undefined): Promise<void> => {
    let stop = (): void => {};
    const added = new Promise<void>((resolve) => {
      stop = box.onChange(() => {
        if (hasTool(name)) resolve();
      });
    });
    await settlesWithin(Promise.race([added, until]), waitMs, { signal });
    stop();
  };
  return wrapCalls(box, async (call, signal, caller) => {
    const isAwaited = !isOver && !hasTool(call.name) && !box.refusalOf?.(call.name);
    if (isAwaited) await toolOrEnd(call.name, signal);
    return box.runner.run(call, signal, caller);
  });
}
