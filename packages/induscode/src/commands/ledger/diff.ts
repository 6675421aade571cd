import { isoTime } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import type { DiffRequest } from "../../launch/internal.ts";
import { showDifference, showJson, showLine } from "../../screen/index.ts";

/** `indus mcp diff`: the tools that came, went and changed between two moments. */
export async function diff(run: Run, { from, to = isoTime(), json }: DiffRequest): Promise<number> {
  const { terminal, report } = run;
  const records = await run.records();
  const history = await records.history();
  let found: ReturnType<typeof records.diff>;
  try {
    found = records.diff(history, from, to);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    report(thrown.message);
    return 2;
  }
  if (json) terminal.out(showJson(found));
  else {
    for (const { server, tool, at } of found.removed)
      terminal.out(showLine(`- ${server}  ${tool}  (since ${at})`));
    for (const { server, tool, at } of found.added) terminal.out(showLine(`+ ${server}  ${tool}  (${at})`));
    for (const { server, tool, at, difference } of found.changed)
      terminal.out(showLine(`~ ${server}  ${tool}  (${at})`) + showDifference(difference, terminal.outLook));
    if (found.removed.length + found.added.length + found.changed.length === 0)
      terminal.out("no recorded difference\n");
  }
  if (history.oldest !== undefined && Date.parse(from) < Date.parse(history.oldest))
    report(`the oldest record is of ${history.oldest}: what was before is not known`);
  return 0;
}
