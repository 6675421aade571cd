import { shellWord } from "indusagi/core";
import { type LedgerRecords, ledgerRecords, type Run } from "../../boot/internal.ts";
import { type CommandSpec, CWD, JSON_OUTPUT, orOfCluster } from "../../launch/internal.ts";
import { showDifference, showJson, showLine, suggestion } from "../../screen/index.ts";

interface ExplainRequest {
  readonly tool: string;
  readonly json: boolean;
}

export const MCP_EXPLAIN: CommandSpec<ExplainRequest> = {
  name: "mcp explain",
  group: "repair",
  operands: "TOOL",
  summary: "Explain why a tool is offered, gone or withheld: since when, by which server, and what changed.",
  onClusterState: true,
  flags: orOfCluster([JSON_OUTPUT, CWD]),
  examples: ["indus mcp explain notes__add"],
  read: (flags) => {
    const [tool, surplus] = [...flags.operands, ...flags.afterEnd];
    if (tool === undefined) return { problem: "mcp explain needs the name of a tool" };
    if (surplus !== undefined)
      return { problem: `mcp explain takes one tool, not also ${JSON.stringify(surplus)}` };
    return { tool, json: flags.has("--json") };
  },
};

type Explanation = ReturnType<LedgerRecords["explain"]>[number];

/** `indus mcp explain`: why a tool is offered, gone or withheld. */
export async function explain(run: Run, { tool, json }: ExplainRequest): Promise<number> {
  const { terminal, report } = run;
  const records = await ledgerRecords(run);
  const history = await records.history();
  const recorded = records.explain(history, tool);
  const found = recorded.length > 0 ? recorded : keptExplanations(records, tool);
  if (found.length === 0) {
    // Prompts and instructions are recorded too, but only tools are explained.
    const ofTools = history.events.filter((event) => !("decision" in event) || !event.decision.subject);
    const known = [...new Set(ofTools.map((event) => `${event.server}__${event.tool}`))];
    const hint = await suggestion(tool, known, "indus mcp history shows what is recorded");
    report(`nothing is recorded about a tool named ${JSON.stringify(tool)}; ${hint}`);
    return 1;
  }
  if (json) terminal.out(showJson(found));
  else for (const each of found) show(run, each, commandFor(records, each));
  return 0;
}

function show({ terminal }: Run, found: Explanation, command: string | undefined): void {
  const { server, tool, state, since, reason, changes } = found;
  terminal.out(showLine(`${tool} of server "${server}" is ${state} since ${since}: ${reason}`));
  if (command !== undefined) terminal.out(showLine(`to see and approve the change: ${command}`));
  for (const { at, difference } of changes)
    terminal.out(showLine(`changed ${at}`) + showDifference(difference, terminal.outLook));
}

function commandFor(records: LedgerRecords, { server, tool }: Explanation): string | undefined {
  const waiting = records
    .waiting()
    .changes.find((change) => change.server === server && change.subject === "tool" && change.name === tool);
  return waiting && `indus mcp approve ${shellWord(waiting.target)}`;
}

/** What is still known about tools whose records were deleted because of their age. */
function keptExplanations(records: LedgerRecords, name: string): readonly Explanation[] {
  return records
    .keptStates()
    .filter(({ server, tool }) => tool === name || `${server}__${tool}` === name)
    .map(({ server, tool, isLive, at }) => ({
      server,
      tool,
      state: "gone",
      since: at,
      reason: `its records have expired; it was ${isLive ? "still" : "no longer"} offered in the last one`,
      changes: [],
    }));
}
