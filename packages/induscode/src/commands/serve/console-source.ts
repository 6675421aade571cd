import { resolve } from "node:path";
import { projectConfigPath, userConfigPath } from "indusagi/config";
import { describeError, joinSignals } from "indusagi/core";
import { type Run, workspaceTokens } from "../../boot/internal.ts";
import {
  type CommandOutcome,
  type ConfigRow,
  type ConsoleSource,
  HIDDEN,
  type KnownClient,
  type PlainObject,
} from "../../console/internal.ts";
import type { Gateway } from "../../gateway/open/internal.ts";
import { isUrl, parseArguments, type ServerSources } from "../../launch/internal.ts";
import type { Terminal } from "../../screen/terminal/index.ts";
import { CLIENTS } from "../../servers/clients/index.ts";
import { openEdits } from "../../servers/internal.ts";
import { editableRows, type PlacedRow } from "../mcp/edit-target.ts";
import { hiddenIn, hiding } from "../mcp/show-launch.ts";
import { type Command, runSubcommand } from "../subcommand.ts";

interface SourceOptions {
  readonly gateway: Pick<Gateway, "servers" | "view">;
  readonly sources: ServerSources;
  readonly commands: readonly Command[];
}

/** The folder of a gateway, for its console. Every change is one of our commands. */
export function consoleSource(run: Run, { gateway, sources, commands }: SourceOptions): ConsoleSource {
  const quiet: Run = { ...run, report: () => {} };
  const named = sources.mcp.filter((source) => !isUrl(source)).map((file) => resolve(run.cwd, file));
  const rows = (): readonly PlacedRow[] =>
    named.length === 0 ? editableRows(quiet, {}) : named.flatMap((file) => editableRows(quiet, { file }));
  return {
    folder: { id: "here", path: run.cwd },
    run,
    servers: gateway.servers,
    view: gateway.view,
    tokens: () => workspaceTokens(run),
    command: (words, signal) => runQuietly(run, commands, { words, signal }),
    rows: async () => rows().map((row) => shownRow(run, row)),
    revealed: async (name, row) => {
      const found = rows().find(({ written }) => written.name === name);
      return found
        ? revealed(found, row)
        : { problem: `there is no server named ${JSON.stringify(name)} in a file of yours` };
    },
    files: () => newRowFiles(run, named),
    clients: () => knownClients(run),
  };
}

/** Runs a command in this process, without a terminal and without questions. */
async function runQuietly(
  { cwd, env, signal }: Run,
  commands: readonly Command[],
  given: { readonly words: readonly string[]; readonly signal: AbortSignal | undefined },
): Promise<CommandOutcome> {
  const line = parseArguments(given.words, commands);
  if (line.kind !== "command") {
    const problem = line.kind === "usage" ? line.problem : `${given.words.join(" ")} is not a command`;
    return { code: 2, out: "", messages: [problem] };
  }
  let [out, err] = ["", ""];
  const terminal: Terminal = {
    out: (text) => {
      out += typeof text === "string" ? text : Buffer.from(text).toString();
    },
    err: (text) => {
      err += text;
    },
  };
  const ending = given.signal ? joinSignals(signal, given.signal) : signal;
  try {
    const code = await runSubcommand(line, commands, { terminal, cwd, env, signal: ending });
    return { code, out, messages: messagesIn(err) };
  } catch (thrown) {
    return { code: 1, out, messages: [...messagesIn(err), describeError(thrown)] };
  }
}

function messagesIn(err: string): readonly string[] {
  return err
    .split("\n")
    .map((line) => line.replace(/^indus: /, "").trim())
    .filter((line) => line !== "");
}

function shownRow(run: Run, { file, scope, written }: PlacedRow): ConfigRow {
  const isUsual = file === projectConfigPath(run) || file === userConfigPath(run);
  return {
    name: written.name,
    file,
    scope: isUsual && (scope === "user" || scope === "project") ? scope : "file",
    row: hiddenIn(written.row, hiding(written.row)) as PlainObject,
    isEditable: true,
  };
}

/** Puts the secrets back that the user left hidden. */
function revealed(
  { written }: PlacedRow,
  given: PlainObject,
): { readonly row: PlainObject } | { readonly problem: string } {
  const hide = hiding(written.row);
  const kept = new Map<string, string>();
  const problems: string[] = [];
  const remember = (value: unknown): void => {
    if (typeof value === "string") {
      const hidden = hide(value);
      if (hidden !== value) kept.set(hidden, value);
    } else if (typeof value === "object" && value !== null)
      for (const each of Object.values(value)) remember(each);
  };
  remember(written.row);
  const whole = (value: unknown, before: unknown, at: string): unknown => {
    if (typeof value === "string") {
      if (typeof before === "string" && hide(before) === value) return before;
      if (!value.includes(HIDDEN)) return value;
      const known = kept.get(value);
      // Two secrets may look the same when they are hidden, and then the place decides.
      if (known !== undefined && value !== HIDDEN) return known;
      problems.push(`${at} has a hidden part (${HIDDEN}); write the whole value`);
      return value;
    }
    if (Array.isArray(value))
      return value.map((each, index) => whole(each, memberOf(before, index), `${at}[${index}]`));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        whole(each, memberOf(before, name), at === "" ? name : `${at}.${name}`),
      ]),
    );
  };
  const row = whole(given, written.row, "") as PlainObject;
  return problems.length > 0 ? { problem: problems.join("; ") } : { row };
}

function memberOf(value: unknown, member: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, member)) return undefined;
  return (value as { readonly [name: string | number]: unknown })[member];
}

function newRowFiles(run: Run, named: readonly string[]): ReturnType<ConsoleSource["files"]> {
  if (named.length > 0) return named.map((file) => ({ scope: "file", file }));
  const user = userConfigPath(run);
  return [
    ...(user === undefined ? [] : [{ scope: "user", file: user } as const]),
    { scope: "project", file: projectConfigPath(run) },
  ];
}

async function knownClients(run: Run): Promise<readonly KnownClient[]> {
  const edits = await openEdits(run);
  const files = await edits.readClients();
  return CLIENTS.map(({ id, title, places }) => ({
    id,
    title,
    places: places(edits.world).flatMap(({ scope, file, isOnlyRead = false }) => {
      if (scope === "local" || isOnlyRead) return [];
      const found = files.find((each) => each.client === id && each.file === file && each.scope === scope);
      const servers = found?.servers ?? [];
      return [
        {
          scope,
          file,
          exists: found !== undefined && found.state !== "absent",
          isConnected: servers.some(({ isGateway }) => isGateway),
          servers: servers.filter(({ isGateway }) => !isGateway).map(({ name }) => name),
        },
      ];
    }),
  }));
}
