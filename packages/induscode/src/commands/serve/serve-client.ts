import { resolve } from "node:path";
import { describeError } from "indusagi/core";
import type { InstancePool } from "indusagi/interop";
import { type Guest, openAttachment, scopeOf } from "../../background/hub/index.ts";
import { serveInstance } from "../../background/internal.ts";
import { type Ask, containerOf } from "../../background/link/index.ts";
import { openRun, type Run } from "../../boot/internal.ts";
import { readSettings } from "../../conductor/open/internal.ts";
import {
  type CommandSpecs,
  isUrl,
  parseArguments,
  refusesColours,
  type ServerSources,
} from "../../launch/internal.ts";
import { openLog, type Terminal, withoutColours } from "../../screen/terminal/index.ts";
import type { ServerToolRequest } from "../mcp/call.ts";
import type { Command } from "../subcommand.ts";
import { serve } from "./serve.ts";
import type { ServeRequest } from "./serve-words.ts";
import type { UserConsole } from "./user-console.ts";

/** Why a client of the background gateway must do its work itself. Undefined: it need not. */
export async function refusalOf(
  ask: Ask,
  pool: InstancePool,
  commands: CommandSpecs,
): Promise<string | undefined> {
  if ((ask.container ?? "") !== containerOf("self")) return "it is in another container or namespace";
  const { NODE_EXTRA_CA_CERTS: authorities = "" } = ask.env ?? {};
  // Node reads it once, for the whole process. Many clients start servers without it: they have no wish of their own.
  if (authorities !== "" && authorities !== process.env["NODE_EXTRA_CA_CERTS"])
    return "its NODE_EXTRA_CA_CERTS is not the gateway's; indus down and indus up take the one of your shell";
  if (ask.kind === "instance") {
    const { row, folder = "" } = ask;
    return row && pool.has(row, scopeOf(ask, folder)) ? undefined : "it does not run";
  }
  const line = clientLine(ask, commands);
  if (!line) return "its command line is not understood";
  const problem = line.command === "serve" ? profileProblem(line.request) : fileProblem(line.request);
  if (problem !== undefined) return problem;
  const { project, user } = await readSettings({ cwd: line.cwd, env: ask.env ?? {} });
  const forbids = [project, user].some(({ values }) => values.share === "off");
  return forbids ? 'the setting "share" is off in this folder' : undefined;
}

function profileProblem({ profile }: ServeRequest): string | undefined {
  if (profile !== "full" && profile !== "all") return undefined;
  return `--profile ${profile} runs commands, which must run in the client's own process`;
}

function fileProblem({ fromInput, saveTo }: ServerToolRequest): string | undefined {
  return fromInput || saveTo !== undefined ? "it reads or writes files" : undefined;
}

/** The command line of a client: `indus serve --stdio` or `indus mcp call`. */
type ClientLine = (
  | { readonly command: "serve"; readonly request: ServeRequest }
  | { readonly command: "mcp call"; readonly request: ServerToolRequest }
) & {
  /** The workspace. */
  readonly cwd: string;
};

/** The command line of a client, with the paths that it means. */
function clientLine({ kind, words, cwd: folder }: Ask, commands: CommandSpecs): ClientLine | undefined {
  if (!words || folder === undefined) return undefined;
  const line = parseArguments(words, commands);
  if (line.kind !== "command") return undefined;
  const at = (path: string): string => resolve(folder, path);
  const cwd = at(line.cwd ?? ".");
  const located = ({ mcp, ...sources }: ServerSources): ServerSources => ({
    ...sources,
    mcp: mcp.map((source) => (isUrl(source) ? source : at(source))),
  });
  // The command table guarantees the types.
  if (kind === "serve" && line.name === "serve") {
    const request = line.request as ServeRequest;
    const { sources, log, transport } = request;
    if (transport.kind !== "stdio") return undefined;
    const there = log?.file === undefined ? log : { ...log, file: at(log.file) };
    return { command: "serve", cwd, request: { ...request, sources: located(sources), log: there } };
  }
  if (kind !== "call" || line.name !== "mcp call") return undefined;
  const request = line.request as ServerToolRequest;
  return { command: "mcp call", cwd, request: { ...request, sources: located(request.sources) } };
}

/** Does for one client of the background gateway what its command would do in its own process, until that is done or the client leaves. */
export async function serveClient(
  guest: Guest,
  commands: readonly Command[],
  shown: UserConsole,
): Promise<void> {
  const { ask, signal } = guest;
  if (ask.kind === "instance") return serveInstance(guest, ask.folder ?? "");
  const line = clientLine(ask, commands);
  if (!line) throw new Error("its command line is not understood");
  const { cwd } = line;
  const attachment = openAttachment(guest, cwd);
  const { env, end } = attachment;
  const screen = refusesColours(ask.words ?? []) ? withoutColours(attachment.terminal) : attachment.terminal;
  const run = async (terminal: Terminal, work: (run: Run) => Promise<number>): Promise<void> => {
    await using opened = await openRun({ terminal, cwd, env, signal, attachment });
    const code = await work(opened);
    if (!signal.aborted) end(code);
  };
  if (line.command === "serve") {
    const log = line.request.log && (await openLog(screen, line.request.log));
    try {
      await run(log?.terminal ?? screen, (opened) =>
        serve(opened, line.request, commands, (gateway) => {
          const detach = shown.attach({ run: opened, gateway, sources: line.request.sources });
          opened.defer(async () => detach());
        }),
      );
    } finally {
      await log?.[Symbol.asyncDispose]();
    }
    return;
  }
  const { mcpCall } = await import("../mcp/call.ts");
  try {
    await run(screen, (opened) => mcpCall(opened, line.request));
  } catch (thrown) {
    screen.err(`indus: ${describeError(thrown)}\n`);
    end(1);
  }
}
