import { LAUNCH_MEMBERS, readConfigText } from "indusagi/config";
import { escapeForDisplay, shellWord, textTable } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import { type CommandSpec, JSON_OUTPUT, orOfCluster } from "../../launch/internal.ts";
import { showJson } from "../../screen/index.ts";
import { shownWord } from "../../servers/doctor/index.ts";
import type { FoundServer } from "../../servers/internal.ts";
import {
  type NameRequest,
  type PlacedRow,
  readName,
  TARGET_FLAGS,
  targetRow,
  withPart,
} from "./edit-target.ts";
import { type LaunchReading, readingAt, rowLaunch } from "./row-launch.ts";
import { hiddenIn, hiding, showLaunch } from "./show-launch.ts";

interface GetRequest extends NameRequest {
  readonly json: boolean;
}

export const MCP_GET: CommandSpec<GetRequest> = {
  name: "mcp get",
  group: "everyday",
  operands: "SERVER",
  summary: "Show one server: its file, approval and launch, without secrets.",
  onClusterState: true,
  flags: orOfCluster([JSON_OUTPUT, ...TARGET_FLAGS]),
  examples: ["indus mcp get files --json"],
  read: (flags) => withPart(readName(flags, "mcp get"), (named) => ({ ...named, json: flags.has("--json") })),
};

/** `indus mcp get`: shows one row as it is written, without secrets. */
export async function getServer(run: Run, { name, target, json }: GetRequest): Promise<number> {
  const row = await targetRow(run, name, target);
  if (!row) return 1;
  const reading = readConfigText(row.file);
  const launch =
    "text" in reading
      ? rowLaunch(reading.text, name, await readingAt(run, row))
      : { problem: reading.problem };
  const trust = await trustOf(run, row, "approval" in launch ? launch : undefined);
  const written = "written" in launch ? launch.written : undefined;
  const { row: members } = row.written;
  const hide = hiding({ ...members, ...written });
  const isOff = members["enabled"] === false || members["disabled"] === true;
  if (json) {
    const shown = hiddenIn(members, hide);
    run.terminal.out(
      showJson({
        name,
        file: row.file,
        scope: row.scope,
        trust,
        enabled: !isOff,
        problem: "problem" in launch ? launch.problem : undefined,
        row: shown,
      }),
    );
    return 0;
  }
  const facts = [
    ["server", name],
    ["file", `${row.file} (${row.scope})`],
    ["trust", shownTrust(trust, name)],
    ["enabled", isOff ? "no" : "yes"],
    ...("problem" in launch ? [["problem", launch.problem]] : []),
    ...Object.entries(members)
      .filter(([member]) => !LAUNCH_MEMBERS.has(member) && !STATED.has(member))
      .map(([member, value]) => [member, JSON.stringify(hiddenIn(value, hide))]),
  ];
  const table = textTable(facts.map((cells) => cells.map((cell) => escapeForDisplay(cell))));
  // The table above has the other members.
  const launched = written && showLaunch({ ...written, members: {} }, hide);
  run.terminal.out(`${table}\n${launched === undefined ? "" : `launch\n${launched}`}`);
  return 0;
}

/** Members with a line of their own. */
const STATED = new Set(["name", "enabled", "disabled"]);

function shownTrust(trust: FoundServer["trust"], name: string): string {
  return trust === "pending"
    ? `not approved; to approve it, run: indus mcp trust ${shellWord(name)}`
    : shownWord(trust);
}

async function trustOf(
  run: Run,
  { scope, written }: PlacedRow,
  launch: Extract<LaunchReading, { readonly approval: string }> | undefined,
): Promise<FoundServer["trust"]> {
  if (scope !== "project") return "own";
  const store = launch && (await run.state.trustOf(run.cwd));
  const verdictOn = (hash: string): FoundServer["trust"] | undefined => {
    const decision = store?.decision(written.name, hash);
    return decision && "verdict" in decision ? decision.verdict : undefined;
  };
  const verdict = launch && verdictOn(launch.approval);
  // Refusing a launch refuses it with any other settings of the row.
  if (!verdict && launch && verdictOn(launch.launch) === "refused") return "refused";
  return verdict ?? "pending";
}
