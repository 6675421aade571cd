import type { LedgerRecords, Run } from "../../boot/internal.ts";
import type { ExplainRequest } from "../../launch/internal.ts";
import { showDifference, showJson, showLine, suggestion } from "../../screen/index.ts";

type Explanation = ReturnType<LedgerRecords["explain"]>[number];

/** `indus mcp explain`: why a tool is here, gone or withheld. */
export async function explain(run: Run, { tool, json }: ExplainRequest): Promise<number> {
  const { terminal, report } = run;
  const records = await run.records();
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
  return waiting && `indus mcp approve ${waiting.target}`;
}

/** What is left of tools whose records were deleted because of their age. */
function keptExplanations(records: LedgerRecords, name: string): readonly Explanation[] {
  return records
    .keptStates()
    .filter(({ server, tool }) => tool === name || `${server}__${tool}` === name)
    .map(({ server, tool, isLive, at }) => ({
      server,
      tool,
      state: "gone",
      since: at,
      reason: `its records are deleted; it was ${isLive ? "still" : "no longer"} offered in the last one`,
      changes: [],
    }));
}
