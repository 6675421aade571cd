import { atSize, recordFigure, verifies } from "@indus/testkit";
import fc from "fast-check";
import { type ProcessTree, SpawnError, startTree } from "indusagi/core";
import { startServerFleet } from "indusagi/interop";
import { expect } from "vitest";
import { rough } from "./rough.ts";

/** Errors with which the system may temporarily refuse to start a process. */
const TEMPORARY = ["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"] as const;

/** Starts processes, except that the starts with these numbers fail. */
function failing(plan: ReadonlyMap<number, string>): {
  readonly start: typeof startTree;
  readonly tries: () => number;
} {
  let tries = 0;
  const start: typeof startTree = async (command, args, options): Promise<ProcessTree> => {
    tries += 1;
    const code = plan.get(tries);
    if (code === undefined) return startTree(command, args, options);
    const cause = Object.assign(new Error(`spawn ${command} ${code}`), { code });
    throw new SpawnError(`could not start ${command}`, { code, cause });
  };
  return { start, tries: () => tries };
}

verifies(
  "supervise:failing-starts",
  "whichever starts fail temporarily, every server becomes ready and none is started twice",
  async () => {
    const plans = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 8 }), fc.constantFrom(...TEMPORARY)), {
      selector: ([at]) => at,
      maxLength: 4,
    });
    const runs = atSize({ quick: 6, full: 60 });
    let failures = 0;
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const { start, tries } = failing(new Map(plan));
        const ids = ["a", "b", "c"];
        const fleet = await startServerFleet(
          { servers: ids.map((id) => rough(id)) },
          { stdio: { startTree: start }, supervision: { firstDelayMs: 5, maxDelayMs: 20 } },
        );
        try {
          await expect
            .poll(() => ids.map((id) => fleet.endpoint(id)?.phase), { timeout: 20_000 })
            .toEqual(ids.map(() => "ready"));
          const failed = plan.filter(([at]) => at <= tries()).length;
          expect(tries()).toBe(ids.length + failed);
          failures += failed;
        } finally {
          await fleet.tearDown();
        }
      }),
      { numRuns: runs },
    );
    recordFigure({
      what: "starts that fail with EAGAIN, ENOMEM, EMFILE or ENFILE",
      size: `${failures} failed starts in ${runs} fleets of three`,
      found: "all servers became ready, none started twice",
    });
  },
  { timeoutMs: 300_000 },
);
