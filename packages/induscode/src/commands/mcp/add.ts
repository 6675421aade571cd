import {
  type ConfigPlace,
  editServerRow,
  type PlainRow,
  parseServerConfig,
  writtenRows,
} from "indusagi/config";
import { canonicalJson, describeError } from "indusagi/core";
import { firstOf, type Run } from "../../boot/internal.ts";
import {
  type CommandSpec,
  type Flag,
  orOfCluster,
  type ParsedFlags,
  spellings,
  type UsageProblem,
} from "../../launch/internal.ts";
import { labelled, shellLine, showToolLines } from "../../screen/index.ts";
import { waitingLine } from "../../screen/terminal/index.ts";
import { serverReport, showStart, showWaiting } from "../../servers/doctor/index.ts";
import { findServers, openEdits, openServers } from "../../servers/internal.ts";
import {
  DRY_RUN,
  type EditTarget,
  environmentOf,
  type NamedValues,
  TARGET_FLAGS,
  targetFile,
  targetRow,
  withPart,
  withTarget,
} from "./edit-target.ts";
import { printEdit, reportConnectedClients, showPreview } from "./report-edit.ts";
import { approveRows, readingAt, rowLaunch, withRows } from "./row-launch.ts";
import { failureOf, reportUnshown } from "./start-servers.ts";

/** A row for a configuration file. */
interface ServerRow {
  readonly [member: string]: unknown;
}

interface NamedRow {
  readonly name: string;
  readonly row: ServerRow;
}

interface AddRequest extends NamedRow {
  readonly target: EditTarget;
  /** Whether to start the server once. */
  readonly start: boolean;
  /** Replace the row of this name, where it is. */
  readonly replace?: boolean | undefined;
  /** Show the change without writing it. */
  readonly dryRun?: boolean | undefined;
}

const SECRET_FLAGS: readonly Flag[] = [
  {
    name: "--env",
    aliases: ["-e"],
    kind: "string",
    value: "NAME[=VALUE]",
    repeats: true,
    describe: "An environment variable for the server. Without =VALUE the file refers to your variable NAME.",
  },
  {
    name: "--header",
    aliases: ["-H"],
    kind: "string",
    value: '"NAME: VALUE"',
    repeats: true,
    describe: "A header for its URL. ${VARIABLE} is kept as a reference.",
  },
];

const NO_START: Flag = {
  name: "--no-start",
  aliases: [],
  kind: "boolean",
  describe: "Only write the row: do not start the server to show its tools.",
};

const REPLACE: Flag = {
  name: "--replace",
  aliases: [],
  kind: "boolean",
  describe:
    "Replace the server of this name, in the file that has it. Members that stay the same are not touched.",
};

const ADD_FLAGS: readonly Flag[] = [
  ...SECRET_FLAGS,
  {
    name: "--transport",
    aliases: ["-t"],
    kind: "string",
    value: "TRANSPORT",
    choices: ["stdio", "http", "sse"],
    describe: "How to talk to it: stdio for a command, http or sse for a URL. Default: found out.",
  },
  NO_START,
  ...TARGET_FLAGS,
];

export const MCP_ADD: CommandSpec<AddRequest> = {
  name: "mcp add",
  group: "everyday",
  operands: "NAME (URL | -- COMMAND [ARGUMENT …])",
  summary:
    "Add a server to your file or the project's, and start it once to show its tools. Adding it approves it.",
  onClusterState: true,
  flags: orOfCluster(ADD_FLAGS),
  examples: [
    "indus mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
    "indus mcp add sentry https://mcp.sentry.dev/mcp --scope project",
  ],
  refuse: missingEnd,
  read: (flags) => readRequest(flags, readRow),
};

export const MCP_ADD_JSON: CommandSpec<AddRequest> = {
  name: "mcp add-json",
  group: "everyday",
  operands: "NAME JSON",
  summary: "Add a server from its JSON row, in any client's format.",
  onClusterState: true,
  flags: orOfCluster([NO_START, REPLACE, DRY_RUN, ...TARGET_FLAGS]),
  examples: [`indus mcp add-json time '{"command":"uvx","args":["mcp-server-time"]}'`],
  read: (flags) => readRequest(flags, readJsonRow),
};

function readRequest(
  flags: ParsedFlags,
  read: (flags: ParsedFlags) => NamedRow | UsageProblem,
): AddRequest | UsageProblem {
  // A server of a cluster runs on its workers.
  const start = !flags.has("--no-start") && !flags.has("--cluster");
  const [replace, dryRun] = [flags.has("--replace"), flags.has("--dry-run")];
  return withTarget(flags, (target) =>
    withPart(read(flags), (added) => ({ target, start, replace, dryRun, ...added })),
  );
}

/** A command without `--` before it: its flags would be taken for ours. */
function missingEnd(words: readonly string[]): UsageProblem | undefined {
  if (words.includes("--")) return undefined;
  const start = secondOperand(words);
  const command = start === undefined ? undefined : words[start];
  if (command === undefined || /^[a-z][a-z\d+.-]*:\/\//i.test(command)) return undefined;
  const before = words.slice(0, start);
  // Values of variables and headers may be secrets.
  const isSecret = before.some((word) =>
    SECRET_FLAGS.flatMap(spellings).some((name) => word.startsWith(name)),
  );
  const corrected = ["mcp", "add", ...(isSecret ? ["..."] : before), "--", ...words.slice(start)];
  return {
    problem: `put -- before ${JSON.stringify(command)}, the command that starts the server`,
    corrected,
  };
}

/** The place of the second word that is neither a flag nor its value. Undefined if an unknown flag is before it. */
function secondOperand(words: readonly string[]): number | undefined {
  let count = 0;
  for (let place = 0; place < words.length; place += 1) {
    const word = words[place] ?? "";
    const [name = ""] = word.split("=");
    const flag = ADD_FLAGS.find((each) => spellings(each).some((spelling) => isFlagWord(name, spelling)));
    if (flag && flag.kind !== "boolean" && spellings(flag).includes(word)) place += 1;
    if (flag) continue;
    if (word.startsWith("-")) return undefined;
    count += 1;
    if (count === 2) return place;
  }
  return undefined;
}

/** A short flag may be joined to its value: `-eNAME=VALUE`. */
function isFlagWord(word: string, spelling: string): boolean {
  return spelling.startsWith("--") ? word === spelling : !word.startsWith("--") && word.startsWith(spelling);
}

/** The name and the row of `mcp add`: a URL with headers, or the command after `--` with variables. */
function readRow(flags: ParsedFlags): NamedRow | UsageProblem {
  const [name, url, surplus] = flags.operands;
  const [command, ...args] = flags.afterEnd;
  if (name === undefined) return { problem: "mcp add needs a name for the server" };
  if (command !== undefined && url !== undefined)
    return { problem: `mcp add takes a URL or a command after --, not also ${JSON.stringify(url)}` };
  if (surplus !== undefined || (url !== undefined && !/^https?:\/\//i.test(url)))
    return { problem: `mcp add takes an http URL, or a command after --: indus mcp add ${name} -- COMMAND` };
  if (command === undefined && url === undefined)
    return { problem: "mcp add needs a URL, or -- and the command that starts the server" };
  const transport = flags.value("--transport");
  if (transport !== undefined && (transport === "stdio") !== (url === undefined))
    return {
      problem: `--transport ${transport} is only for servers ${url === undefined ? "with a URL" : "started by a command"}`,
    };
  const type = transport === undefined ? {} : { type: transport };
  const env = environmentOf(flags.list("--env"), "--env");
  const headers = headersOf(flags.list("--header"));
  if ("problem" in env) return env;
  if ("problem" in headers) return headers;
  if (url !== undefined) {
    if (flags.has("--env")) return { problem: "--env is only for servers started by a command" };
    return { name, row: { ...type, url, ...(flags.has("--header") ? { headers: headers.values } : {}) } };
  }
  if (flags.has("--header")) return { problem: "--header is only for servers with a URL" };
  return {
    name,
    row: {
      ...type,
      command,
      ...(args.length > 0 ? { args } : {}),
      ...(flags.has("--env") ? { env: env.values } : {}),
    },
  };
}

/** The name and the row of `mcp add-json`. */
function readJsonRow(flags: ParsedFlags): NamedRow | UsageProblem {
  const [name, text, surplus] = [...flags.operands, ...flags.afterEnd];
  if (name === undefined || text === undefined || surplus !== undefined)
    return { problem: "mcp add-json needs a name and one JSON object" };
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    // Not repeated: it may contain secrets.
    return { problem: "the second argument of mcp add-json is not valid JSON; quote it for your shell" };
  }
  if (typeof row !== "object" || row === null || Array.isArray(row))
    return { problem: 'the JSON of mcp add-json is not an object; write {"command":"…"} or {"url":"…"}' };
  return { name, row: row as ServerRow };
}

function headersOf(given: readonly string[]): NamedValues | UsageProblem {
  const entries: [string, string][] = [];
  for (const text of given) {
    const [, name, value] = /^([^:]+):\s*([\s\S]*)$/.exec(text) ?? [];
    if (name === undefined || value === undefined) return { problem: '--header takes "NAME: VALUE"' };
    entries.push([name.trim(), value.trimEnd()]);
  }
  return { values: Object.fromEntries(entries) };
}

/**
 * `indus mcp add` and `mcp add-json`: writes one new row and starts its server once. Adding a row to a project approves it. A
 * server that does not start is reported, and its row stays: the exit code is about the row.
 */
export async function addServer(run: Run, request: AddRequest): Promise<number> {
  const { name, row, target, start, replace = false, dryRun = false } = request;
  const place = replace ? await targetRow(run, name, target) : targetFile(run, target);
  if (!place) return 1;
  const launch = checkedLaunch(name, row);
  if ("problem" in launch) {
    run.report(`server ${JSON.stringify(name)}: ${launch.problem}`);
    return 2;
  }
  try {
    const edits = await openEdits(run);
    const write = !dryRun;
    const changed = (text: string | undefined): string =>
      replace
        ? withReplacedRow(text, { name, row }, place.file)
        : withRows(text, [{ name, row }], place.file);
    const edit = await edits.editFile(place.file, changed, { write });
    if (dryRun) return await showPreview(run, edit, [row, rowIn(edit.before, name)]);
    if (place.scope === "project") await approveRows(run, edit.after, { file: place.file, names: [name] });
    const done = replace ? "replaced server NAME in" : "added server NAME to";
    printEdit(
      run,
      done.replace("NAME", () => JSON.stringify(name)),
      edit,
    );
    await reportUnset(run, edit.after, { name, place });
    const isConnected = await reportConnectedClients(run, edits);
    if (start) await tryServer(run, { name, place, isConnected });
    return 0;
  } catch (thrown) {
    const message = describeError(thrown);
    const hint = message.includes("already has") ? `; remove it first with: indus mcp remove ${name}` : "";
    run.report(`${message}${hint}`);
    return 1;
  }
}

/** The text of a file with another row under the same name. Members that stay the same keep their comments and their form. */
function withReplacedRow(text: string | undefined, { name, row }: NamedRow, file: string): string {
  const before = rowIn(text, name);
  const set = Object.fromEntries([
    ...Object.keys(before)
      .filter((member) => !Object.hasOwn(row, member) && member !== "name")
      .map((member) => [member, undefined] as const),
    ...Object.entries(row).filter(
      ([member, value]) =>
        !Object.hasOwn(before, member) || canonicalJson(before[member]) !== canonicalJson(value),
    ),
  ]);
  return editServerRow(text ?? "{}", { name, change: { set }, file });
}

function rowIn(text: string | undefined, name: string): PlainRow {
  return writtenRows(text ?? "{}").find((each) => each.name === name)?.row ?? {};
}

interface AddedRow {
  readonly name: string;
  readonly place: ConfigPlace;
}

/** More would push the rest off the screen. */
const MAX_TOOLS = 20;

/**
 * Starts the server of a new row once, within the time limits of the row, and shows its tools or why it failed, and what to do
 * next. What it lists is remembered. A row that is disabled, unusable or hidden by another of its name is not started.
 */
async function tryServer(
  run: Run,
  { name, place, isConnected }: AddedRow & { readonly isConnected: boolean },
): Promise<void> {
  const { terminal, signal, report } = run;
  const given = place.scope === "explicit" ? ["--mcp", place.file] : [];
  // What is wrong with the new row was reported, and other rows do not matter here.
  const found = await findServers(
    run,
    { mcp: given.slice(1), run: [] },
    { withoutRequired: true, report: () => {} },
  );
  const config = found?.configs.find(({ id }) => id === name);
  const row = found?.servers.find((each) => each.config === config);
  if (!config || !row || config.pending || config.enabled === false) return;
  if (row.origin.file !== place.file)
    return report(
      `server ${JSON.stringify(name)} was not started: here the row of this name in ${row.origin.file} is used`,
    );
  const held: string[] = [];
  const servers = await openServers(run, {
    servers: [config],
    supervision: false,
    report: (message) => void held.push(message),
  });
  const waiting = waitingLine(run, (ms) => showWaiting([name], ms, terminal.errLook?.width));
  await firstOf([servers.settled], { signal });
  await servers.listed(signal);
  waiting.stop();
  if (signal.aborted) return;
  reportUnshown(run, held, servers);
  const [status] = servers.statuses();
  if (!status) return;
  const { isUsable, command } = serverReport(status);
  const line = (...words: readonly string[]): string => shellLine([...words, ...given]);
  if (!isUsable) {
    report(failureOf(status));
    return report(`the row stays; next: ${line(...command)}`);
  }
  const tools = servers.box.descriptors();
  terminal.out(`${showStart(status, servers.timesMs.get(name) ?? 0)}\n`);
  terminal.out(showToolLines(tools.slice(0, MAX_TOOLS), terminal.outLook));
  if (tools.length > MAX_TOOLS) terminal.out(`… and ${tools.length - MAX_TOOLS} more\n`);
  const others = isConnected ? "" : ", indus connect CLIENT offers them to a client such as cursor";
  const next = `next: ${line("indus", "mcp", "tools", name)} shows how to call them${others}`;
  terminal.out(labelled("", next, terminal.outLook?.width));
}

/** Parses the row before the file is touched. */
function checkedLaunch(name: string, row: object): ReturnType<typeof rowLaunch> {
  if (name.trim() === "" || /\p{Cc}/u.test(name))
    return { problem: "a name must not be empty or contain control characters" };
  return rowLaunch(JSON.stringify({ servers: { [name]: row } }), name);
}

/** Reports unset variables now: the server would not start without them. */
async function reportUnset(run: Run, text: string, { name, place }: AddedRow): Promise<void> {
  const { diagnostics } = parseServerConfig(text, await readingAt(run, place));
  const mark = `server "${name}": `;
  for (const { message } of diagnostics.filter((each) => each.message.startsWith(mark))) run.report(message);
}
