import { type LedgerRecords, ledgerRecords, type Run } from "../../boot/internal.ts";
import { type CommandSpec, CWD, JSON_OUTPUT, orOfCluster } from "../../launch/internal.ts";
import { showJson } from "../../screen/index.ts";

interface HistoryRequest {
  /** Only events of these servers and tools. Empty: all. */
  readonly names: readonly string[];
  readonly json: boolean;
}

export const MCP_HISTORY: CommandSpec<HistoryRequest> = {
  name: "mcp history",
  group: "repair",
  operands: "[SERVER|TOOL …]",
  summary: "Show which tools earlier runs saw added, removed, changed or approved, and when.",
  onClusterState: true,
  flags: orOfCluster([JSON_OUTPUT, CWD]),
  examples: ["indus mcp history", "indus mcp history notes"],
  read: (flags) => ({ names: [...flags.operands, ...flags.afterEnd], json: flags.has("--json") }),
};

/** `indus mcp history`: what earlier runs recorded, oldest first. */
export async function history(run: Run, { names, json }: HistoryRequest): Promise<number> {
  const records = await ledgerRecords(run);
  const whole = await records.history();
  const isNamed = ({ server, tool }: { readonly server: string; readonly tool: string }): boolean =>
    names.length === 0 || [server, tool, `${server}__${tool}`].some((name) => names.includes(name));
  const shown = { ...whole, events: whole.events.filter(isNamed) };
  const { oldest, damaged } = shown;
  run.terminal.out(
    json
      ? showJson({ oldest, damaged: damaged.map(({ path }) => path), events: shown.events.map(plainEvent) })
      : records.show(shown),
  );
  if (shown.events.length > 0 || names.length === 0) return 0;
  run.report(`nothing is recorded about ${names.join(", ")}; indus mcp history shows everything`);
  return 1;
}

type HistoryEvent = Awaited<ReturnType<LedgerRecords["history"]>>["events"][number];

/** An event as JSON, without the tool's description: `mcp diff` shows that. */
function plainEvent(event: HistoryEvent): object {
  const { op, segment, at, server, tool } = event;
  if ("decision" in event) return { ...event.decision, segment };
  return { op, server, tool, at, segment, fingerprint: event.capability.fingerprint };
}
