import { isoTime } from "indusagi/core";
import { ledgerRecords, type Run } from "../../boot/internal.ts";
import { type CommandSpec, CWD, JSON_OUTPUT, orOfCluster } from "../../launch/internal.ts";
import { showDifference, showJson, showLine } from "../../screen/index.ts";

interface DiffRequest {
  readonly from: string;
  /** Default: now. */
  readonly to?: string | undefined;
  readonly json: boolean;
}

export const MCP_DIFF: CommandSpec<DiffRequest> = {
  name: "mcp diff",
  group: "repair",
  operands: "FROM [TO]",
  summary:
    "Compare the tools at two points in time, each a time such as 2026-11-16T09:30:00Z or the id of a run. TO defaults to now.",
  onClusterState: true,
  flags: orOfCluster([JSON_OUTPUT, CWD]),
  examples: ["indus mcp diff 2026-11-15", "indus mcp diff 2026-11-15T09:00Z 2026-11-16T09:00Z"],
  read: (flags) => {
    const [from, to, surplus] = [...flags.operands, ...flags.afterEnd];
    if (from === undefined) return { problem: "mcp diff needs a time to compare with" };
    if (surplus !== undefined)
      return { problem: `mcp diff takes two times, not also ${JSON.stringify(surplus)}` };
    return { from, to, json: flags.has("--json") };
  },
};

/** `indus mcp diff`: the tools added, removed and changed between two points in time. */
export async function diff(run: Run, { from, to = isoTime(), json }: DiffRequest): Promise<number> {
  const { terminal, report } = run;
  const records = await ledgerRecords(run);
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
    report(`the oldest record is from ${history.oldest}; earlier changes are not known`);
  return 0;
}
