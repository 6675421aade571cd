import { resolve } from "node:path";
import type { InstancePool } from "indusagi/interop";
import { type Guest, openAttachment, rowOf, scopeOf } from "../../background/hub/index.ts";
import { serveInstance } from "../../background/internal.ts";
import { type Ask, containerOf } from "../../background/link/index.ts";
import { openRun } from "../../boot/internal.ts";
import { readSettings } from "../../conductor/open/internal.ts";
import { type CommandSpecs, isUrl, parseArguments } from "../../launch/internal.ts";
import { openLog } from "../../screen/terminal/index.ts";
import type { Command } from "../subcommand.ts";
import { type ServeRequest, serve } from "./serve.ts";
import type { UserConsole } from "./user-console.ts";

/** Why a client of the background gateway must run its servers itself. Undefined: it need not. */
export async function refusalOf(
  ask: Ask,
  pool: InstancePool,
  commands: CommandSpecs,
): Promise<string | undefined> {
  if ((ask.container ?? "") !== containerOf("self")) return "it is in another container or namespace";
  if (ask.kind === "instance") {
    const row = rowOf(ask);
    const runs = row && pool.has(row, scopeOf(ask, ask.folder ?? ""));
    return runs ? undefined : "it does not run";
  }
  const line = lineOf(ask, commands);
  if (!line) return "its command line is not understood";
  const { profile } = line.request;
  if (profile === "full" || profile === "all")
    return `--profile ${profile} runs commands, which must run in the client's own process`;
  const { project, user } = await readSettings({ cwd: line.cwd, env: ask.env ?? {} });
  const forbids = [project, user].some(({ values }) => values.share === "off");
  return forbids ? 'the setting "share" is off in this folder' : undefined;
}

interface ClientLine {
  readonly request: ServeRequest;
  readonly line: ReturnType<typeof parseArguments>;
  /** The workspace. */
  readonly cwd: string;
}

/** The command line of a client, with the paths that it means. */
function lineOf({ words, cwd: folder }: Ask, commands: CommandSpecs): ClientLine | undefined {
  if (!words || folder === undefined) return undefined;
  const line = parseArguments(words, commands);
  if (line.kind !== "command" || line.name !== "serve") return undefined;
  const request = line.request as ServeRequest; // The command table guarantees the type.
  if (request.transport.kind !== "stdio") return undefined;
  const { sources, log } = request;
  const at = (path: string): string => resolve(folder, path);
  return {
    line,
    cwd: at(line.cwd ?? "."),
    request: {
      ...request,
      sources: { ...sources, mcp: sources.mcp.map((source) => (isUrl(source) ? source : at(source))) },
      ...(log && { log: log.file === undefined ? log : { ...log, file: at(log.file) } }),
    },
  };
}

/** Serves one client of the background gateway as `indus serve --stdio` would, until it leaves. */
export async function serveClient(
  guest: Guest,
  commands: readonly Command[],
  shown: UserConsole,
): Promise<void> {
  const { ask, signal } = guest;
  if (ask.kind === "instance") return serveInstance(guest, ask.folder ?? "");
  const found = lineOf(ask, commands);
  if (!found) throw new Error("its command line is not understood");
  const attachment = openAttachment(guest, found.cwd);
  const log = found.request.log && (await openLog(attachment.terminal, found.request.log));
  try {
    await using run = await openRun({
      terminal: log?.terminal ?? attachment.terminal,
      cwd: found.cwd,
      ...{ env: attachment.env, signal, attachment },
    });
    const code = await serve(run, found.request, commands, (gateway) => {
      const detach = shown.attach({ run, gateway, sources: found.request.sources });
      run.defer(async () => detach());
    });
    if (!signal.aborted) attachment.end(code);
  } finally {
    await log?.[Symbol.asyncDispose]();
  }
}
