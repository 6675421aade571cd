import { showName } from "indusagi/core";
import { type LedgerRecords, ledgerRecords, type Run, type WaitingChange } from "../../boot/internal.ts";
import {
  type CommandSpec,
  CWD,
  type Flag,
  JSON_OUTPUT,
  MCP,
  orOfCluster,
  readSources,
  type ServerSources,
  YES,
} from "../../launch/internal.ts";
import { showDifference, showJson, showLine, suggestion } from "../../screen/index.ts";
import { findServers } from "../../servers/internal.ts";
import { confirmed } from "./confirmed.ts";

interface DecisionRequest {
  /** Servers and tools. */
  readonly names: readonly string[];
  /** Exactly these forms, as `indus mcp approve --json` names them. Empty: whatever waits. */
  readonly forms?: readonly string[] | undefined;
}

interface RefuseRequest extends DecisionRequest {
  readonly yes: boolean;
  readonly json: boolean;
}

const FORM: Flag = {
  name: "--form",
  aliases: [],
  kind: "string",
  value: "HASH",
  repeats: true,
  describe: "Decide only about this form, the member after of --json: a form that came later still waits.",
};

interface ApproveRequest extends DecisionRequest {
  /** Empty: show everything that waits, approve nothing. */
  readonly names: readonly string[];
  /** Servers to approve entirely, even if their stored forms are damaged. */
  readonly all: readonly string[];
  readonly sources: ServerSources;
  readonly yes: boolean;
  readonly json: boolean;
}

export const MCP_APPROVE: CommandSpec<ApproveRequest> = {
  name: "mcp approve",
  group: "repair",
  operands: "[SERVER|TOOL …]",
  summary:
    "Show what servers changed in their tools, prompts and instructions, and approve the changes of those named. Without names it approves nothing.",
  onClusterState: true,
  flags: orOfCluster([
    {
      name: "--all",
      aliases: [],
      kind: "string",
      value: "SERVER",
      repeats: true,
      describe: "Approve everything this server changed, even if its approved forms cannot be read.",
    },
    FORM,
    YES,
    JSON_OUTPUT,
    MCP,
    CWD,
  ]),
  examples: ["indus mcp approve", "indus mcp approve notes__add", "indus mcp approve --all notes"],
  read: (flags) => ({
    names: [...flags.operands, ...flags.afterEnd],
    forms: flags.list("--form"),
    all: flags.list("--all"),
    sources: readSources(flags),
    yes: flags.has("--yes"),
    json: flags.has("--json"),
  }),
};

export const MCP_REFUSE: CommandSpec<RefuseRequest> = {
  name: "mcp refuse",
  group: "repair",
  operands: "SERVER|TOOL …",
  summary:
    "Refuse what servers changed: approved texts stay in use, withheld tools stay withheld, and nobody is asked again until they change once more.",
  onClusterState: true,
  flags: orOfCluster([FORM, YES, JSON_OUTPUT, CWD]),
  examples: ["indus mcp refuse notes__add"],
  read: (flags) => {
    const names = [...flags.operands, ...flags.afterEnd];
    if (names.length === 0) return { problem: "mcp refuse needs the name of a server or tool" };
    return { names, forms: flags.list("--form"), yes: flags.has("--yes"), json: flags.has("--json") };
  },
};

/** `indus mcp refuse`: keeps what was approved, and asks no longer about what is named. */
export async function refuse(run: Run, request: RefuseRequest): Promise<number> {
  const records = await ledgerRecords(run);
  const { changes, servers } = records.waiting();
  if (!(await areKnown(run, request.names, [...servers, ...changes.flatMap(namesOf)]))) return 1;
  const chosen = changes.filter((change) => isMeant(change, request.names, request));
  if (!request.json) for (const change of chosen) show(run, change);
  const asked = chosen.length === 1 ? "Refuse this change?" : `Refuse these ${chosen.length} changes?`;
  if (chosen.length > 0 && !request.yes && !(await confirmed(run, asked))) return 1;
  const refused = await records.refuse(chosen);
  if (request.json) run.terminal.out(showJson({ changes: chosen }));
  else run.terminal.out(`refused ${refused === 1 ? "1 change" : `${refused} changes`}\n`);
  return 0;
}

/** Whether a change is among those named. */
function isMeant(change: WaitingChange, names: readonly string[], { forms = [] }: DecisionRequest): boolean {
  if (forms.length > 0 && !forms.includes(change.after)) return false;
  return names.some((name) => namesOf(change).includes(name));
}

/** Reports a name that stands for nothing. */
async function areKnown(run: Run, names: readonly string[], found: readonly string[]): Promise<boolean> {
  const known = [...new Set(found)];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return true;
  const hint = await suggestion(unknown, known, "indus mcp approve shows what waits for an approval");
  run.report(`unknown server or tool ${JSON.stringify(unknown)}; ${hint}`);
  return false;
}

/** `indus mcp approve`: shows what servers changed, and approves what is named. Starts no server. */
export async function approve(run: Run, request: ApproveRequest): Promise<number> {
  const { names, all, json } = request;
  const records = await ledgerRecords(run);
  const { changes, servers, unusable } = records.waiting();
  const dropped = await dropUnusable(run, records, request);
  if (!dropped) return 1;
  const named = [...names, ...all];
  if (!(await areKnown(run, named, [...servers, ...changes.flatMap(namesOf), ...dropped]))) return 1;
  // What was refused waits for nobody, but whoever names it may still approve it.
  const shown = changes.filter((change) =>
    named.length === 0 ? !change.isRefused : isMeant(change, named, request),
  );
  if (json) run.terminal.out(showJson({ changes: shown, unusable }));
  else for (const change of shown) show(run, change);
  if (names.length + all.length === 0) return listed(run, shown, unusable);
  if (shown.length > 0 && !request.yes && !(await confirmed(run, question(shown.length)))) return 1;
  const approved = await records.approve(shown);
  if (approved < shown.length)
    run.report("a tool changed again in the meantime; run the command again to see the change");
  const said = approved === 1 ? "approved 1 change" : `approved ${approved} changes`;
  if (!json) run.terminal.out(approved > 0 || dropped.length === 0 ? `${said}\n` : "");
  return approved < shown.length ? 1 : 0;
}

function question(count: number): string {
  return count === 1 ? "Approve this change?" : `Approve these ${count} changes?`;
}

/** Nothing was named: says how to approve. */
function listed(
  { report }: Run,
  shown: readonly WaitingChange[],
  unusable: readonly { readonly path: string; readonly problem: string }[],
): number {
  for (const { path, problem } of unusable) report(`${path} ${problem}; approve its server with --all`);
  report(
    shown.length === 0
      ? "nothing waits for an approval"
      : "nothing was approved; name the servers or tools to approve",
  );
  return 0;
}

/** Approves whatever the servers after `--all` offer next, if their approved forms cannot be read. */
async function dropUnusable(
  run: Run,
  records: LedgerRecords,
  { all, sources }: ApproveRequest,
): Promise<readonly string[] | undefined> {
  if (all.length === 0 || records.waiting().unusable.length === 0) return [];
  const found = await findServers(run, sources, { withoutRequired: true });
  if (!found) return undefined;
  const named = found.configs.filter(({ id }) => all.includes(id));
  return named.flatMap((config) => {
    if (records.dropUnusable([config]).length === 0) return [];
    run.terminal.err(`whatever server ${JSON.stringify(config.id)} offers at its next start is approved\n`);
    return [config.id];
  });
}

/** The names that select a change. */
function namesOf({ server, subject, name, target }: WaitingChange): readonly string[] {
  return subject === "tool" ? [server, target, `${server}__${name}`] : [server];
}

function show({ terminal }: Run, change: WaitingChange): void {
  const { server, subject, name, op, reason, since, difference, target } = change;
  const what = subject === "instructions" ? "instructions" : `${subject} ${JSON.stringify(showName(name))}`;
  const state = op === "hold" ? "the approved text is in use" : "withheld";
  terminal.out(
    showLine(`${what} of server "${showName(server)}", ${state} since ${since}: ${reason} (${target})`),
  );
  terminal.out(showDifference(difference, terminal.outLook));
}
