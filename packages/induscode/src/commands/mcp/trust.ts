import { approvalParts } from "indusagi/config";
import { describeError, escapeForDisplay, shellWord, showName } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import { type CommandSpec, CWD, YES } from "../../launch/internal.ts";
import { suggestion } from "../../screen/index.ts";
import { type FoundServer, findServers } from "../../servers/internal.ts";
import { confirmed } from "./confirmed.ts";
import { oneName, withPart } from "./edit-target.ts";
import { showLaunch } from "./show-launch.ts";

interface TrustRequest {
  /** Empty: every project server without a decision. */
  readonly names: readonly string[];
  readonly yes: boolean;
}

interface UntrustRequest {
  readonly name: string;
}

export const MCP_TRUST: CommandSpec<TrustRequest> = {
  name: "mcp trust",
  group: "everyday",
  operands: "[SERVER …]",
  summary:
    "Show exactly what this project's servers start, and approve them after a confirmation or with --yes. A changed launch needs a new approval.",
  flags: [YES, CWD],
  examples: ["indus mcp trust", "indus mcp trust files"],
  read: (flags) => ({ names: [...flags.operands, ...flags.afterEnd], yes: flags.has("--yes") }),
};

export const MCP_UNTRUST: CommandSpec<UntrustRequest> = {
  name: "mcp untrust",
  group: "everyday",
  operands: "SERVER",
  summary: "Refuse a server of this project: it will not start until you trust it again.",
  flags: [CWD],
  examples: ["indus mcp untrust files"],
  read: (flags) => withPart(oneName(flags, "mcp untrust"), (name) => ({ name })),
};

/** `indus mcp trust`: shows what the project's servers start and configure, and approves exactly that. */
export async function trustServers(run: Run, { names, yes }: TrustRequest): Promise<number> {
  const rows = await projectRows(run);
  if (!rows) return 1;
  const chosen = await chosenRows(run, rows, names);
  if (!chosen) return 1;
  if (chosen.length === 0) {
    run.terminal.out("no server of this project waits for approval\n");
    return 0;
  }
  for (const row of chosen) showRow(run, row);
  const open = chosen.filter(({ trust }) => trust !== "approved");
  if (open.length === 0) return 0;
  if (
    !yes &&
    !(await confirmed(run, `Start ${open.length === 1 ? "this server" : "these servers"} from now on?`))
  )
    return 1;
  return decide(run, (store) => {
    for (const { config, launch, written } of open) {
      store.approve(config.id, launch, approvalParts(written));
      run.terminal.out(`approved server ${shownName(config.id)}\n`);
    }
  });
}

/** `indus mcp untrust`: withdraws every approval of a server and refuses its current row. */
export async function untrustServer(run: Run, { name }: UntrustRequest): Promise<number> {
  const rows = await projectRows(run);
  const [row] = (rows && (await chosenRows(run, rows, [name]))) ?? [];
  if (!row) return 1;
  showRow(run, row);
  return decide(run, (store) => {
    store.forget(name);
    store.refuse(name, row.launch);
    const back = `until you run: indus mcp trust ${escapeForDisplay(shellWord(name))}`;
    run.terminal.out(`refused server ${shownName(name)}: it is not started ${back}\n`);
  });
}

async function projectRows(run: Run): Promise<readonly FoundServer[] | undefined> {
  const found = await findServers(run, { mcp: [], run: [] }, { withoutRequired: true });
  return found?.servers;
}

async function chosenRows(
  run: Run,
  rows: readonly FoundServer[],
  names: readonly string[],
): Promise<readonly FoundServer[] | undefined> {
  const own = rows.filter(({ origin }) => origin.scope === "project");
  if (names.length === 0) return own.filter(({ trust }) => trust === "pending");
  const chosen = names.map((name) => own.find(({ config }) => config.id === name));
  const missing = names.find((_, index) => chosen[index] === undefined);
  if (missing === undefined) return chosen.flatMap((row) => row ?? []);
  const isOwn = rows.some(({ config }) => config.id === missing);
  const known = own.map(({ config }) => config.id);
  const hint = isOwn
    ? "it is in your own file and needs no approval"
    : await suggestion(
        missing,
        known,
        known.length > 0 ? `its servers are ${known.join(", ")}` : "it has none",
      );
  run.report(`this project has no server named ${JSON.stringify(missing)}; ${hint}`);
  return undefined;
}

function showRow(
  { terminal }: Run,
  { config, origin, trust, written, launch, changed = [] }: FoundServer,
): void {
  const { file = "", line } = origin;
  const state =
    trust === "approved" ? "approved already" : trust === "refused" ? "refused before" : "not approved";
  const does = written.url === undefined ? "starts a program" : "connects to a URL";
  terminal.out(`${escapeForDisplay(`server "${config.id}" of ${file}:${line}, ${state}, ${does}:`)}\n`);
  terminal.out(showLaunch(written));
  if (changed.length > 0)
    terminal.out(`  changed since it was approved: ${changed.map(showName).join(", ")}\n`);
  // Unattended machines get their approvals as hashes.
  terminal.out(`  launch hash ${launch}\n`);
}

function shownName(name: string): string {
  return escapeForDisplay(/^[\w.-]+$/.test(name) ? name : JSON.stringify(name));
}

type Store = NonNullable<Awaited<ReturnType<Run["state"]["trustOf"]>>>;

async function decide(run: Run, write: (store: Store) => void): Promise<number> {
  const store = await run.state.trustOf(run.cwd);
  if (!store) return 1;
  try {
    write(store);
    return 0;
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
}
