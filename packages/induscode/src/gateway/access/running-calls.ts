import { faultOutcome, type ToolBox } from "indusagi/runtime";

/** The calls of one token that run now. */
export interface RunningCalls {
  /** Counts one call; the returned function ends it. Undefined if the token is at its limit. */
  begin(): (() => void) | undefined;
  /** Why a call beyond the limit is refused. */
  readonly refusal: string;
}

export function runningCalls(name: string, most: number): RunningCalls {
  let running = 0;
  return {
    refusal: `token ${name} may run ${most} ${most === 1 ? "call" : "calls"} at the same time; try again when one has ended`,
    begin: () => {
      if (running >= most) return undefined;
      running += 1;
      return () => void (running -= 1);
    },
  };
}

/** A box that refuses a call beyond the limit at once: a queue would hide from the client why it waits. */
export function limitCalls(box: ToolBox, running: RunningCalls): ToolBox {
  return {
    descriptors: () => box.descriptors(),
    onChange: (listener) => box.onChange(listener),
    refusalOf: box.refusalOf,
    runner: {
      run: async (call, signal, caller) => {
        const end = running.begin();
        if (!end)
          return faultOutcome(call.id, running.refusal, {
            kind: "tool_error",
            reason: "policy",
            retrySafe: true,
          });
        try {
          return await box.runner.run(call, signal, caller);
        } finally {
          end();
        }
      },
    },
  };
}
