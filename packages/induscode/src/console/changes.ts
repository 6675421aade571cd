import type { LedgerRecords } from "../boot/internal.ts";
import { ledgerRecords } from "../boot/internal.ts";
import { shellLine } from "../screen/index.ts";
import { type ChangesAnswer, CONSOLE_LIMITS, type LedgerEvent, type ToolExplained } from "./contract.ts";
import type { ConsoleSource } from "./source.ts";

type History = Awaited<ReturnType<LedgerRecords["history"]>>;

/** What waits for the user, and what the ledger recorded. */
export async function changesAnswer({ run }: Pick<ConsoleSource, "run">): Promise<ChangesAnswer> {
  const records = await ledgerRecords(run);
  const { changes, unusable } = records.waiting();
  const { events, oldest, damaged } = await records.history();
  return {
    waiting: changes.map(({ isRefused = false, ...change }) => ({
      ...change,
      isRefused,
      approve: shellLine(decisionWords("approve", [change])),
      refuse: shellLine(decisionWords("refuse", [change])),
    })),
    unusable,
    timeline: events
      .slice(-CONSOLE_LIMITS.timeline)
      .map(ledgerEvent)
      .toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)),
    oldest,
    damaged: damaged.map(({ path, damage }) => ({ path, offset: damage.offset })),
  };
}

/** The command that approves or refuses exactly these forms. */
export function decisionWords(
  decision: "approve" | "refuse",
  changes: readonly { readonly target: string; readonly after: string }[],
): readonly string[] {
  const forms = changes.flatMap(({ after }) => ["--form", after]);
  const targets = [...new Set(changes.map(({ target }) => target))];
  return ["indus", "mcp", decision, ...forms, "--yes", "--", ...targets];
}

function ledgerEvent(event: History["events"][number]): LedgerEvent {
  const { at, op, server, tool, segment } = event;
  if (!("decision" in event)) return { at, op, server, tool, subject: "tool", run: segment };
  const { subject = "tool", reason, difference } = event.decision;
  return { at, op, server, tool, subject, run: segment, reason, difference };
}

/** Why each tool of a name is offered or not. */
export async function explained(
  { run }: Pick<ConsoleSource, "run">,
  tool: string,
): Promise<readonly ToolExplained[]> {
  const records = await ledgerRecords(run);
  const command = shellLine(["indus", "mcp", "explain", tool]);
  return records.explain(await records.history(), tool).map((found) => ({ ...found, command }));
}
