import { layerBox, type ToolBox, type ToolBoxChange } from "indusagi/runtime";

export interface PaceOptions {
  /** The shortest time between two reports. */
  readonly intervalMs: number;
  /** Changes before this are not reported: no client has a list yet. */
  readonly from: Promise<unknown>;
  /** Changes after this are reported immediately. */
  readonly until: Promise<unknown>;
}

const NOTHING: ToolBoxChange = { added: [], changed: [], removed: [] };

/**
 * Limits the rate of change reports: the first is immediate, later ones are combined after the interval. Each report makes
 * every client list all tools again, and each starting server is a change. `descriptors` is always current.
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
        if (timer) return; // The pending report includes this change.
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
