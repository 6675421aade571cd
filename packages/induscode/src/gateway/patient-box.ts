import { settlesWithin } from "indusagi/core";
import { layerBox, type ProgramListing, type ToolBox, type ToolBoxChange } from "indusagi/runtime";

export interface PatientBoxOptions {
  /** Resolves when no further tools are expected. */
  readonly until: Promise<unknown>;
  /** The longest wait of one call. */
  readonly waitMs: number;
  /** Calls the listener when a server has listed its tools, which may all be hidden. Returns a function that removes it. */
  readonly onListed?: ((listener: () => void) => () => void) | undefined;
}

/** Waits for tools that are not listed yet. */
export function listingWait(box: ToolBox, options: PatientBoxOptions): ProgramListing {
  const { until, waitMs, onListed = () => () => {} } = options;
  let isOver = false;
  void until.then(() => (isOver = true));
  return {
    isOver: () => isOver,
    until: async (isKnown, signal) => {
      if (isOver || isKnown()) return;
      let check = (): void => {};
      const known = new Promise<void>((resolve) => {
        check = () => {
          if (isKnown()) resolve();
        };
      });
      // The box takes over the listing in this turn.
      const stops = [box.onChange(check), onListed(() => void setImmediate(check))];
      await settlesWithin(Promise.race([known, until]), waitMs, { signal });
      for (const stop of stops) stop();
    },
  };
}

/**
 * Calls wait for a tool that is not listed yet: a client may know it from an earlier session and call it while its server
 * starts.
 */
export function patientBox(box: ToolBox, options: PatientBoxOptions): ToolBox {
  const wait = listingWait(box, options);
  /** Listed, or refused for a reason. */
  const isKnown = (name: string): boolean =>
    box.descriptors().some((tool) => tool.name === name) || box.refusalOf?.(name) !== undefined;
  return layerBox(box, {
    missing: (next) => async (call, signal, caller) => {
      await wait.until(() => isKnown(call.name), signal);
      return next(call, signal, caller);
    },
  });
}

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
