import { ledgerRecords } from "../boot/internal.ts";
import { shellLine } from "../screen/index.ts";
import { decisionWords } from "./changes.ts";
import type {
  ConfigRow,
  ConnectPreview,
  ConnectRequest,
  DecideRequest,
  Done,
  RowChecked,
  RowRequest,
  ServerAction,
  TokenMade,
  TokenRequest,
  ToolChange,
} from "./contract.ts";
import type { CommandOutcome, ConsoleSource } from "./source.ts";

// Every change by the user is a command, run in this process. The page shows its line.

/** A change that was refused by the command, in its words. */
export class RefusedChange extends Error {}

/** Restarts, enables, disables a server, or logs in to it. */
export async function serverAction(
  source: ConsoleSource,
  server: string,
  action: ServerAction,
  signal: AbortSignal,
): Promise<Done> {
  const place = await placeWords(source, server);
  const words = ["indus", "mcp", action, ...placeOf(action, place), "--", server];
  if (action === "restart") {
    if (!(await source.servers.fleet.restart(server)))
      throw new RefusedChange(`there is no server named ${JSON.stringify(server)}`);
    return { command: shellLine(words), messages: [`restarted server ${JSON.stringify(server)}`] };
  }
  const done = await changed(source, words, { signal });
  // The running server was refused without it, and does not try again by itself.
  if (action === "login") await source.servers.fleet.restart(server);
  return done;
}

/** A running gateway knows its servers, and a login finds them where they are looked for anyway, unless a file was named. */
function placeOf(action: ServerAction, place: readonly string[]): readonly string[] {
  if (action === "restart") return [];
  return action === "login" && place[0] === "--scope" ? [] : place;
}

/** Which tools are shown, and how. */
export async function toolChange(source: ConsoleSource, change: ToolChange): Promise<Done> {
  const { tool } = change;
  const [verb, text] = toolVerb(change);
  const place = await placeWords(source, serverOfTool(source, tool));
  return changed(source, ["indus", "mcp", verb, ...place, "--", tool, ...text]);
}

function toolVerb(change: ToolChange): readonly [verb: string, text: readonly string[]] {
  if ("text" in change) return [change.kind, [change.text]];
  return [change.kind === "show" ? "enable" : "disable", []];
}

/** The server of a tool by the name that clients see, even if it is hidden. */
function serverOfTool({ servers }: ConsoleSource, shown: string): string | undefined {
  const rows = servers.configs();
  return rows.find(({ id }) => servers.knownTools(id).some(({ tool }) => tool === shown))?.id;
}

/** Approves or refuses exactly what was shown. */
export async function decide(
  source: ConsoleSource,
  decision: "approve" | "refuse",
  { changes }: DecideRequest,
): Promise<Done> {
  const { changes: waiting } = (await ledgerRecords(source.run)).waiting();
  const chosen = changes.map((asked) =>
    waiting.find(
      ({ server, subject, name, after }) =>
        server === asked.server && subject === asked.subject && name === asked.name && after === asked.after,
    ),
  );
  const known = chosen.filter((each) => each !== undefined);
  if (known.length === 0 || known.length < chosen.length)
    throw new RefusedChange("it changed again, or was decided already; look at the changes again");
  return changed(source, decisionWords(decision, known));
}

/** Makes a token. Its text is in the answer and nowhere else. Never one for the console. */
export async function makeToken(source: ConsoleSource, request: TokenRequest): Promise<TokenMade> {
  const { name, servers = [], tools = [], calls, listing } = request;
  const words = [
    ...["indus", "token", "add"],
    ...(servers.length > 0 ? ["--servers", servers.join(",")] : []),
    ...(tools.length > 0 || listing !== undefined
      ? ["--tools", [...tools, listing ?? []].flat().join(",")]
      : []),
    ...(calls === undefined ? [] : ["--calls", String(calls)]),
    ...["--", name],
  ];
  const { out, messages } = await command(source, words);
  return { command: shellLine(words), messages, token: out.trim() };
}

export function revokeToken(source: ConsoleSource, name: string): Promise<Done> {
  return changed(source, ["indus", "token", "revoke", "--", name]);
}

/** What a change of a row would do, and what is wrong with it. Writes nothing. */
export async function checkRow(source: ConsoleSource, request: RowRequest): Promise<RowChecked> {
  const file = await fileOf(source, request);
  const place = await rowPlace(source, request);
  const shown = shellLine(rowWords(request, place, request.row));
  const row = await wholeRow(source, request);
  if (row !== undefined && "problem" in row)
    return { problems: [row.problem], difference: "", file, command: shown };
  const { code, out, messages } = await source.command(dryRun(rowWords(request, place, row?.row)).slice(1));
  if (code !== 0) return { problems: messages, difference: "", file, command: shown };
  return { problems: [], difference: unindented(out), file, command: shown };
}

/** Adds, replaces or removes a row of our files. */
export async function changeRow(source: ConsoleSource, request: RowRequest): Promise<Done> {
  const { problems, difference, command: shown } = await checkRow(source, request);
  if (problems.length > 0) throw new RefusedChange(problems.join("; "));
  const row = await wholeRow(source, request);
  if (row !== undefined && "problem" in row) throw new RefusedChange(row.problem);
  const { messages, out } = await command(
    source,
    rowWords(request, await rowPlace(source, request), row?.row),
  );
  return { command: shown, messages: [...lines(out), ...messages], difference };
}

/** What connecting a client, or undoing that, would write. */
export async function previewConnect(
  source: ConsoleSource,
  request: ConnectRequest,
): Promise<ConnectPreview> {
  const words = connectWords(request);
  const { out, messages } = await command(source, dryRun(words));
  const { client, scope = "user" } = request;
  const known = (await source.clients()).find(({ id }) => id === client);
  const file = known?.places.find((place) => place.scope === scope)?.file ?? "";
  return { command: shellLine(words), file, difference: unindented(out), messages };
}

export async function connectClient(source: ConsoleSource, request: ConnectRequest): Promise<Done> {
  const words = connectWords(request);
  const { difference } = await previewConnect(source, request);
  const { out, messages } = await command(source, words);
  return { command: shellLine(words), messages: [...lines(out).filter(isSaid), ...messages], difference };
}

/** The lines of a difference are indented. */
function isSaid(line: string): boolean {
  return !line.startsWith("  ");
}

function connectWords({
  client,
  scope,
  undo = false,
  move = false,
  profile,
}: ConnectRequest): readonly string[] {
  return [
    ...["indus", "connect", client],
    ...(scope === undefined ? [] : ["--scope", scope]),
    ...(undo ? ["--undo"] : []),
    ...(move && !undo ? ["--move"] : []),
    ...(profile === undefined || undo ? [] : ["--profile", profile]),
  ];
}

/** Where the row of a server is. Empty if it is in no file, as with `--run`. */
async function placeWords(source: ConsoleSource, server: string | undefined): Promise<readonly string[]> {
  const row = (await source.rows()).find(({ name }) => name === server);
  return row ? wordsOf(row) : [];
}

function wordsOf({
  scope,
  file,
}: {
  readonly scope: ConfigRow["scope"];
  readonly file: string;
}): readonly string[] {
  return scope === "file" ? ["--mcp", file] : ["--scope", scope];
}

async function rowPlace(
  source: ConsoleSource,
  { action, name, scope }: RowRequest,
): Promise<readonly string[]> {
  if (action !== "add") return placeWords(source, name);
  const files = source.files();
  const place = files.find((each) => each.scope === scope) ?? files[0];
  return place ? wordsOf(place) : [];
}

function rowWords(
  { action, name }: RowRequest,
  place: readonly string[],
  row: object | undefined,
): readonly string[] {
  if (action === "remove") return ["indus", "mcp", "remove", ...place, "--", name];
  const replace = action === "edit" ? ["--replace"] : [];
  return [
    "indus",
    "mcp",
    "add-json",
    "--no-start",
    ...replace,
    ...place,
    "--",
    name,
    JSON.stringify(row ?? {}),
  ];
}

/** With `--dry-run` before the operands. */
function dryRun(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return end < 0 ? [...words, "--dry-run"] : [...words.slice(0, end), "--dry-run", ...words.slice(end)];
}

type WholeRow = Awaited<ReturnType<ConsoleSource["revealed"]>>;

async function wholeRow(
  source: ConsoleSource,
  { action, name, row }: RowRequest,
): Promise<WholeRow | undefined> {
  if (action === "remove") return undefined;
  if (action === "add") return { row: row ?? {} };
  return source.revealed(name, row ?? {});
}

async function fileOf(source: ConsoleSource, { action, name, scope }: RowRequest): Promise<string> {
  const rows = await source.rows();
  const row = action === "add" ? undefined : rows.find((each) => each.name === name);
  const files = source.files();
  return (row ?? files.find((place) => place.scope === scope) ?? files[0])?.file ?? "";
}

async function changed(
  source: ConsoleSource,
  words: readonly string[],
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<Done> {
  const { out, messages } = await command(source, words, signal);
  return { command: shellLine(words), messages: [...lines(out).filter(isSaid), ...messages] };
}

/** Runs a command. Throws its words if it fails. */
async function command(
  source: ConsoleSource,
  words: readonly string[],
  signal?: AbortSignal,
): Promise<CommandOutcome> {
  const outcome = await source.command(words.slice(1), signal);
  if (outcome.code !== 0) throw new RefusedChange(outcome.messages.join("; ") || "the command failed");
  return outcome;
}

function lines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

function unindented(text: string): string {
  return text
    .split("\n")
    .map((line) => (line.startsWith("  ") ? line.slice(2) : line))
    .join("\n")
    .trimEnd();
}
