import type { Run } from "../../boot/internal.ts";

/** Asks a yes-or-no question; anything but yes is no. Without a terminal it reports `--yes` and returns false. */
export async function confirmed(run: Run, question: string): Promise<boolean> {
  const answer = await run.ask(`${question} [y/N] `);
  if (answer === undefined) {
    if (!run.signal.aborted)
      run.report("nothing was changed: there is no terminal to ask on; run it again with --yes");
    return false;
  }
  const isYes = /^\s*y(es)?\s*$/i.test(answer);
  if (!isYes) run.report("nothing was changed");
  return isYes;
}
