import { layerBox, type ToolBox, type ToolBoxChange } from "indusagi/runtime";

export interface PaceOptions {
  /** The shortest time between two reports. */
  readonly intervalMs: number;
  /** Changes before this are not reported: no client has got a list yet. */
  readonly from: Promise<unknown>;
  /** Changes after this are reported at once. */
  readonly until: Promise<unknown>;
}

const NOTHING: ToolBoxChange = { added: [], changed: [], removed: [] };

/**
 * A box that reports changes at a limited rate: the first at once, later ones together after the interval. Each client lists
 * all tools again after a report, and while many servers start, each of them is a change. `descriptors` is always current.
 */
export function pacedBox(box: ToolBox, { intervalMs, from, until }: PaceOptions): ToolBox {
  let hasBegun = false;
  void from.then(() => (hasBegun = true));
  let isOver = false;
  void until.then(() => (isOver = true));
  return layerBox(box, {
    changes: (onChange) => (listener) => {
      let reportedMs = Number.NEGATIVE_INFINITY;
      let timer: NodeJS.Timeout | undefined;
      const report = (change: ToolBoxChange): void => {
        timer = undefined;
        reportedMs = performance.now();
        listener(change);
      };
      const stop = onChange((change) => {
        if (!hasBegun) return;
        const restMs = isOver ? 0 : reportedMs + intervalMs - performance.now();
        if (timer) return; // The report that is due includes this change.
        if (restMs <= 0) report(change);
        else timer = setTimeout(() => report(NOTHING), restMs).unref();
      });
      return () => {
        clearTimeout(timer);
        stop();
      };
    },
  });
}
