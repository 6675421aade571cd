import { unlinkSync } from "node:fs";
import { editServerRow, type PlainRow, readConfigText, writtenRows } from "indusagi/config";
import { canonicalJson, describeError } from "indusagi/core";
import { findGateways } from "../../background/internal.ts";
import { type Run, stdioGatewayLaunch } from "../../boot/internal.ts";
import { readUserSettings } from "../../conductor/open/internal.ts";
import {
  CLIENT_WORDS,
  type CommandSpec,
  CWD,
  isUrl,
  MCP,
  oneWord,
  readSources,
  SERVE_PROFILES,
  type ServeProfile,
  type ServerSources,
} from "../../launch/internal.ts";
import { showDifference } from "../../screen/index.ts";
import {
  type Client,
  type ClientFile,
  type ClientPlace,
  type ClientServer,
  clientById,
  connectedText,
  disconnectedText,
  type ImportStep,
  isGateway,
  planImport,
  rowIn,
  type WritePlace,
  writePlace,
} from "../../servers/clients/index.ts";
import { type Edits, openEdits } from "../../servers/internal.ts";
import { answerInputs } from "../mcp/answer-inputs.ts";
import { targetFile } from "../mcp/edit-target.ts";
import { printEdit } from "../mcp/report-edit.ts";
import { approveRows, ownServers, withRows } from "../mcp/row-launch.ts";
import { hiding } from "../mcp/show-launch.ts";
import {
  type ConnectionRecord,
  isNews,
  type MovedServer,
  readConnection,
  removeConnection,
  textHash,
  writeConnection,
} from "./connection-record.ts";

interface ConnectRequest {
  readonly client: (typeof CLIENT_WORDS)[number];
  readonly scope: "user" | "project";
  readonly move: boolean;
  readonly undo: boolean;
  readonly dryRun: boolean;
  /** Absent: the user is asked. */
  readonly profile?: ServeProfile | undefined;
  /** Servers to put on the gateway's command line. */
  readonly sources: ServerSources;
}

export const CONNECT: CommandSpec<ConnectRequest> = {
  name: "connect",
  group: "everyday",
  operands: "CLIENT",
  choices: CLIENT_WORDS,
  summary: `Connect an MCP client to indus serve: edits its configuration file, keeps a copy and shows the change. CLIENT is one of ${CLIENT_WORDS.join(", ")}.`,
  flags: [
    {
      name: "--scope",
      aliases: [],
      kind: "string",
      value: "SCOPE",
      choices: ["project", "user"],
      describe: "Edit the client's user file (default) or project file.",
    },
    {
      name: "--move",
      aliases: [],
      kind: "boolean",
      describe: "Also move the client's own servers into your indus file.",
      excludes: ["--undo"],
    },
    {
      name: "--profile",
      aliases: [],
      kind: "string",
      value: "PROFILE",
      choices: SERVE_PROFILES,
      describe:
        "Which native tools the client gets besides those of servers. Default: none, or read-only for Claude Desktop; asked on a terminal.",
      excludes: ["--undo"],
    },
    { name: "--undo", aliases: [], kind: "boolean", describe: "Undo connect, and move servers back." },
    { name: "--dry-run", aliases: [], kind: "boolean", describe: "Show the change without writing it." },
    MCP,
    CWD,
  ],
  examples: ["indus connect cursor", "indus connect codex --move", "indus connect codex --undo"],
  read: (flags) => {
    const client = oneWord(flags, "connect", CLIENT_WORDS);
    if (typeof client === "object") return client;
    return {
      client,
      scope: flags.value("--scope") === "project" ? "project" : "user",
      move: flags.has("--move"),
      undo: flags.has("--undo"),
      dryRun: flags.has("--dry-run"),
      // The parser has checked it against the table.
      profile: flags.value("--profile") as ServeProfile | undefined,
      sources: readSources(flags),
    };
  },
};

/** `indus connect`: edits a client's file to start our gateway, or undoes that. */
export async function connect(run: Run, request: ConnectRequest): Promise<number> {
  const client = clientById(request.client);
  try {
    const edits = await openEdits(run);
    const at = client && writePlace(client, edits.world, request.scope);
    if (!at) {
      run.report(`${client?.title ?? request.client} has no project file; leave --scope out`);
      return 2;
    }
    return request.undo
      ? await disconnect(run, edits, at, request)
      : await write(run, edits, { at, request });
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
}

interface Connecting {
  readonly at: WritePlace;
  readonly request: ConnectRequest;
}

async function write(run: Run, edits: Edits, { at, request }: Connecting): Promise<number> {
  const { client, place } = at;
  const chosen = await chosenProfile(run, { at, request });
  if (!chosen) return 1;
  const launch = stdioGatewayLaunch({
    sources: request.sources,
    profile: chosen.profile,
    // A client that starts us elsewhere would use the wrong project.
    ...(client.startsInProject ? {} : { cwd: run.cwd }),
  });
  const moving: Moving = request.move
    ? await moveServers(run, edits, { at, write: !request.dryRun })
    : { servers: [], moved: [], isComplete: true };
  let record: ConnectionRecord | undefined;
  const edit = await edits.editFile(
    place.file,
    async (text) => {
      const after = await connectedText(text, at, { launch, moved: moving.servers });
      record = await recordOf(edits, { at, text, after, moving });
      return after;
    },
    { write: !request.dryRun },
  );
  if (!edit.isChanged) {
    run.terminal.out(`${client.title} is already connected, in ${edit.path}\n`);
    return 0;
  }
  run.terminal.out(showDifference(hidden(edit.difference, moving.servers), run.terminal.outLook));
  if (request.dryRun) {
    run.report(`nothing was written to ${edit.path}; run it without --dry-run to write it`);
    await reportChoices(run, edits, { at, request, chosen });
    return 0;
  }
  const kept =
    record?.backup === undefined && record ? record : record && { ...record, backup: edit.backup ?? null };
  if (kept) writeConnection(edits.root, kept);
  printEdit(run, `connected ${client.title}, in`, edit);
  const undo = `to undo it: indus connect ${client.id}${place.scope === "project" ? " --scope project" : ""} --undo`;
  run.report(
    client.followsFile ? `${client.title} reloads its file automatically` : `to use it, ${client.restart}`,
  );
  run.report(undo);
  await reportChoices(run, edits, { at, request, chosen });
  if (isNews(edits.root, "up") && (await findGateways(run.env)).length === 0)
    run.report(
      "each client starts its own copy of every server; with indus up, clients in the same folder share one (indus service install does that at every login)",
    );
  if (launch.args[0]?.includes("_npx"))
    run.report(
      "this copy of indus is in the npx cache, which may be cleared; npm i -g induscode installs one to keep",
    );
  return moving.isComplete ? 0 : 1;
}

interface ChosenProfile {
  readonly profile: ServeProfile;
  /** Nobody chose it. */
  readonly isDefault?: boolean;
}

/**
 * The profile of the flag, of the user's settings, or of the row that is there already; otherwise the user is asked. A project
 * has no say in what other clients get. Undefined if there is no usable answer, which is reported.
 */
async function chosenProfile(run: Run, { at, request }: Connecting): Promise<ChosenProfile | undefined> {
  if (request.profile) return { profile: request.profile };
  const { values, problems } = await readUserSettings(run.env);
  const problem = problems.find(({ name, isSerious }) => name === "connectProfile" || (!name && isSerious));
  if (problem) {
    run.report(problem.message);
    return undefined;
  }
  if (values.connectProfile) return { profile: values.connectProfile };
  const present = await rowIn(textIn(at.place.file), at, "indus");
  if (present && isGateway(present)) return { profile: profileIn(present) };
  return askProfile(run, at.client, request);
}

/** The profile of a row that starts our gateway. */
function profileIn(row: PlainRow): ServeProfile {
  const words = JSON.stringify(row);
  return SERVE_PROFILES.find((name) => words.includes(`"--profile","${name}"`)) ?? "read-only";
}

/** Asks on a terminal, except for a dry run. */
async function askProfile(
  run: Run,
  { title, hasFileTools = false }: Client,
  { dryRun }: ConnectRequest,
): Promise<ChosenProfile | undefined> {
  const usual: ServeProfile = hasFileTools ? "none" : "read-only";
  const why = hasFileTools ? ` (${title} has its own for files and commands)` : "";
  const question = `Which native tools should ${title} get besides those of your servers${why}? ${SERVE_PROFILES.join(", ")} [${usual}] `;
  const answer = dryRun ? undefined : (await run.ask(question))?.trim();
  if (run.signal.aborted) return undefined;
  if (answer === undefined || answer === "") return { profile: usual, isDefault: true };
  const profile = SERVE_PROFILES.find((name) => name === answer);
  if (!profile)
    run.report(
      `there is no profile ${JSON.stringify(answer)}, only ${SERVE_PROFILES.join(", ")}; nothing was written`,
    );
  return profile && { profile };
}

/** Reports what the user may want to choose differently. */
async function reportChoices(
  run: Run,
  edits: Edits,
  { at, request, chosen }: Connecting & { readonly chosen: ChosenProfile },
): Promise<void> {
  const { client, place } = at;
  const again = `indus connect ${client.id}${place.scope === "project" ? " --scope project" : ""}`;
  if (chosen.isDefault) {
    const other = chosen.profile === "none" ? "read-only" : "none";
    const native = chosen.profile === "none" ? "no native tools" : "the native tools that only read";
    run.report(
      `${client.title} gets ${native} (profile ${chosen.profile}); to change that: ${again} --profile ${other}`,
    );
  }
  if (request.move) return;
  const served = servedRows(run, request);
  const started = serversIn(await edits.readClients([client.id]), place).filter(
    ({ row }) => row["enabled"] !== false,
  );
  const twice = planImport(started, served).filter(
    (step) => step.action === "same" && served.some(({ name }) => name === step.as),
  );
  if (twice.length === 0) return;
  const names = twice.map(({ server }) => server.name).join(", ");
  run.report(
    `${client.title} starts ${names} itself too, so their tools are there twice; to put them only behind indus: ${again} --move`,
  );
}

/** The rows that the gateway of this request uses. */
function servedRows(run: Run, { sources: { mcp } }: ConnectRequest): ReturnType<typeof ownServers> {
  if (mcp.length === 0) return ownServers(run);
  // The gateway reports files that it cannot read.
  const quiet = { ...run, report: () => {} };
  return mcp.filter((source) => !isUrl(source)).flatMap((file) => ownServers(quiet, { file }));
}

/** The client's own servers in one of its files. */
function serversIn(files: readonly ClientFile[], { file, scope }: ClientPlace): readonly ClientServer[] {
  return files.filter((each) => each.file === file && each.scope === scope).flatMap(({ servers }) => servers);
}

/** A reconnect keeps the first backup: only that copy is without our row. */
async function recordOf(
  edits: Edits,
  {
    at,
    text,
    after,
    moving,
  }: {
    readonly at: WritePlace;
    readonly text: string | undefined;
    readonly after: string;
    readonly moving: Moving;
  },
): Promise<ConnectionRecord> {
  const { file } = at.place;
  const earlier = readConnection(edits.root, file);
  const present = await rowIn(text, at, "indus");
  const wasConnected = present !== undefined && isGateway(present);
  const isUntouched = earlier !== undefined && text !== undefined && earlier.after === textHash(text);
  const backup = wasConnected ? (isUntouched ? earlier.backup : undefined) : null;
  return {
    file,
    after: textHash(after),
    moved: [...(earlier && wasConnected ? earlier.moved : []), ...moving.moved],
    ...(backup !== undefined && { backup }),
    ...(moving.ourFile === undefined
      ? earlier?.ourFile !== undefined && { ourFile: earlier.ourFile }
      : { ourFile: moving.ourFile }),
  };
}

/** Hides the secrets of rows that leave the file. */
function hidden(difference: string, servers: readonly ClientServer[]): string {
  return servers.reduce((text, { written }) => hiding(written ?? {})(text), difference);
}

/** The servers that leave a client's file. */
interface Moving {
  readonly servers: readonly ClientServer[];
  readonly moved: readonly MovedServer[];
  /** False if a server stays because a question about it went unanswered. */
  readonly isComplete: boolean;
  readonly ourFile?: string;
}

/** Copies a client's servers into our file, before they are removed from the client's. */
async function moveServers(
  run: Run,
  edits: Edits,
  { at, write }: { readonly at: WritePlace; readonly write: boolean },
): Promise<Moving> {
  const { client, place } = at;
  const files = await edits.readClients([client.id]);
  const steps = planImport(serversIn(files, place), ownServers(run));
  for (const step of steps)
    if (step.action === "skip") run.report(`server ${JSON.stringify(step.server.name)} stays: ${step.why}`);
  const adding = steps.filter((step) => step.action === "add");
  const target = targetFile(run, { scope: place.scope === "project" ? "project" : "user" });
  if (!target) return { servers: [], moved: [], isComplete: false };
  const answered = write
    ? await answerInputs(run, edits, { adding, files })
    : { rows: adding.map(({ server, as }) => ({ name: as, row: server.row })), isComplete: true };
  if (write && answered.rows.length > 0) {
    const edit = await edits.editFile(target.file, (text) => withRows(text, answered.rows, target.file));
    const names = answered.rows.map(({ name }) => name);
    if (target.scope === "project") await approveRows(run, edit.after, { file: target.file, names });
    printEdit(run, `moved ${names.join(", ")} to`, edit);
  }
  const leaving = steps.flatMap((step) => leavingServer(step, answered.rows));
  const moved = await Promise.all(
    leaving.map(async ({ server, ...ours }) => ({
      name: server.name,
      row: (await rowIn(textIn(place.file), at, server.name)) ?? server.row,
      ...ours,
    })),
  );
  return {
    servers: leaving.map(({ server }) => server),
    moved,
    isComplete: answered.isComplete,
    ourFile: target.file,
  };
}

function textIn(file: string): string | undefined {
  const reading = readConfigText(file);
  return "text" in reading ? reading.text : undefined;
}

interface Leaving {
  readonly server: ClientServer;
  readonly as?: string;
  readonly ours?: PlainRow;
}

/** A server that we already had leaves the file too, but adds no row for `--undo` to remove. */
function leavingServer(
  step: ImportStep,
  rows: readonly { readonly name: string; readonly row: PlainRow }[],
): Leaving[] {
  if (step.action === "skip") return [];
  if (step.action === "same") return [{ server: step.server }];
  const row = rows.find(({ name }) => name === step.as);
  return row ? [{ server: step.server, as: row.name, ours: row.row }] : [];
}

/**
 * `indus connect --undo`: a file without other changes is restored byte for byte. In any other, our row is
 * removed and moved servers are put back.
 */
async function disconnect(
  run: Run,
  edits: Edits,
  at: WritePlace,
  { dryRun }: ConnectRequest,
): Promise<number> {
  const { client, place } = at;
  const record = readConnection(edits.root, place.file);
  const text = textIn(place.file);
  const present = await rowIn(text, at, "indus");
  if (!record && !(present && isGateway(present))) {
    run.report(`${client.title} is not connected in ${place.file}; there is nothing to undo`);
    return 1;
  }
  const isUntouched = record !== undefined && text !== undefined && record.after === textHash(text);
  const original = isUntouched ? originalText(record) : undefined;
  const edit = await edits.editFile(
    place.file,
    (now) => original ?? disconnectedText(now, at, record?.moved ?? []),
    { write: !dryRun },
  );
  const hide = (text: string): string =>
    (record?.moved ?? []).reduce((hidden, { ours, row }) => hiding(ours ?? row)(hidden), text);
  run.terminal.out(showDifference(hide(edit.difference), run.terminal.outLook));
  if (dryRun) {
    run.report(`nothing was written to ${edit.path}; run it without --dry-run to write it`);
    return 0;
  }
  if (isUntouched && record.backup === null) unlinkSync(edit.path);
  if (record) await removeMoved(run, edits, record);
  removeConnection(edits.root, place.file);
  printEdit(run, `disconnected ${client.title}, in`, edit);
  run.report(
    client.followsFile ? `${client.title} reloads its file automatically` : `to apply it, ${client.restart}`,
  );
  return 0;
}

/** The file's text before we connected. Undefined if the backup is gone or there was no file. */
function originalText({ backup }: ConnectionRecord): string | undefined {
  return backup === null || backup === undefined ? undefined : textIn(backup);
}

/** Removes the moved servers from our file, unless their rows were changed there. */
async function removeMoved(run: Run, edits: Edits, { moved, ourFile }: ConnectionRecord): Promise<void> {
  const reading = ourFile === undefined ? undefined : readConfigText(ourFile);
  if (ourFile === undefined || reading === undefined || "problem" in reading) return;
  const rows = new Map(writtenRows(reading.text).map(({ name, row }) => [name, row]));
  const ours = moved.filter(({ as }) => as !== undefined && rows.has(as));
  const same = ours.filter(({ as = "", ours: row }) => canonicalJson(rows.get(as)) === canonicalJson(row));
  for (const { as } of ours.filter((server) => !same.includes(server)))
    run.report(`server ${JSON.stringify(as)} stays in ${ourFile}: it was changed there`);
  if (same.length === 0) return;
  const edit = await edits.editFile(ourFile, (text = "{}") =>
    same.reduce(
      (edited, { as = "" }) => editServerRow(edited, { name: as, change: { remove: true }, file: ourFile }),
      text,
    ),
  );
  printEdit(run, `removed ${same.map(({ as }) => as).join(", ")} from`, edit);
}
