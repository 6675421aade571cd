import { escapeForDisplay, joinSignals, mintUlid } from "indusagi/core";
import { folderRoots, type ServerConfig } from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import type { Caller, ToolBox, ToolOutcome } from "indusagi/runtime";
import { firstOf, type Run } from "../../boot/internal.ts";
import { inputProblem, typedInput } from "../../launch/arguments/index.ts";
import {
  type CommandSpec,
  readSaveTo,
  readSources,
  SAVE_TO,
  SERVER_FLAGS,
  type ServerSources,
} from "../../launch/internal.ts";
import { noAnswerMessage, printOutcome, suggestion, unknownToolMessage } from "../../screen/index.ts";
import { fileSaver, progressLine } from "../../screen/terminal/index.ts";
import { type ServerReport, serverReport } from "../../servers/doctor/index.ts";
import {
  bareToolNames,
  findServers,
  likelyServers,
  openServers,
  shownToolName,
  typedToolNames,
  useRunningServers,
} from "../../servers/internal.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import { CALL_FLAGS, givenInput, readToolRequest, type ToolRequest } from "../tool-request.ts";
import { chosenServers } from "./start-servers.ts";

export interface ServerToolRequest extends ToolRequest {
  readonly sources: ServerSources;
  /** The folder for images and other binary content. */
  readonly saveTo?: string | undefined;
}

export const MCP_CALL: CommandSpec<ServerToolRequest> = {
  name: "mcp call",
  group: "everyday",
  operands: "[SERVER] TOOL [name=value …]",
  summary:
    "Call a tool of a configured server. SERVER__TOOL, SERVER.TOOL, or TOOL alone if only one server has it. name:=json passes a JSON value, and --name value is name=value.",
  flags: [...CALL_FLAGS, SAVE_TO, ...SERVER_FLAGS],
  takesToolFlags: true,
  examples: [
    "indus mcp call units__convert amount=3 from=ft to=m --mcp servers.json",
    `indus mcp call notes__add --args '{"text":"hello"}' --json --mcp servers.json`,
  ],
  read: (flags) => {
    const request = readToolRequest(flags, { command: "mcp call", takesServer: true });
    return "problem" in request ? request : { sources: readSources(flags), ...readSaveTo(flags), ...request };
  },
};

/**
 * `indus mcp call`: calls one tool of the configured servers and prints its answer. Starts the server that probably has the
 * tool, and the others only if that one does not list it.
 */
export async function mcpCall(run: Run, request: ServerToolRequest): Promise<number> {
  const { sources, timeoutMs, check } = request;
  const given = await givenInput(run, request);
  if (!given) return 2;
  const found = await findServers(run, sources, { withoutRequired: true });
  const loaded = found && (await chosenServers(found, [], run.report));
  if (!loaded) return 1;
  const typed = await typedName(run, loaded, request);
  if ("problem" in typed) {
    run.report(typed.problem);
    return 2;
  }
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signal = joinSignals(run.signal, timeout);
  const configs = timeoutMs === undefined ? loaded : loaded.map((server) => withTimeout(server, timeoutMs));
  const servers = await serversWith(run, { name: typed.name, configs, signal });
  const reports = servers.statuses().map(serverReport);
  const { name, several } = offeredName(typed.name, { box: servers.box, configs, reports });
  const tool = toolNamed(servers.box, name);
  const complain = (message: string): void => {
    if (!run.signal.aborted) run.report(message);
  };
  if (!tool && servers.box.refusalOf?.(name)) return 1; // Reported when its server listed it.
  if (!tool) {
    const unknown = await unknownTool(name, servers.box, reports);
    complain(signal.aborted ? noAnswerMessage(name, timeoutMs) : (several ?? unknown.message));
    return !signal.aborted && (several !== undefined || unknown.isCertain) ? 2 : 1;
  }
  const input = typedInput(tool.parameters, given);
  const problem = check ? inputProblem(tool, input) : undefined;
  if (problem !== undefined) {
    complain(problem);
    return 2;
  }
  const line = progressLine(run);
  const call = { id: mintUlid(), name, input };
  const outcome = await servers.box.runner.run(
    call,
    signal,
    callerShowing((text) => line.show(text), name, run.cwd),
  );
  line.clear();
  if (outcome.fault?.reason === "aborted") complain(noAnswerMessage(name, timeoutMs));
  else print(run, outcome, request);
  return outcome.isError ? 1 : 0;
}

function print(run: Run, outcome: ToolOutcome, { json, saveTo }: ServerToolRequest): void {
  const { fault, output } = outcome;
  // No answer, for example because the server died: print the reason.
  if (fault && !json) run.report(typeof output === "string" ? output : "the call failed");
  else printOutcome(run.terminal, outcome, { json, save: fileSaver(saveTo) });
}

/** The name that a typed tool is called by, from what is known before anything is started. */
async function typedName(
  { state }: Run,
  configs: readonly ServerConfig[],
  { server, tool }: ToolRequest,
): Promise<{ readonly name: string } | { readonly problem: string }> {
  const row = configs.find(({ id }) => id === server);
  if (row) return { name: shownToolName(row, tool) };
  const memory = await state.memory();
  const names = typedToolNames(server ?? tool, configs, memory);
  if (server === undefined)
    return names.length > 1 ? { problem: ambiguous(tool, names) } : { name: names[0] ?? tool };
  // The first word is a tool: the second was meant as its argument.
  if (names.length > 0) return { problem: `${JSON.stringify(tool)} is not of the form name=value` };
  const ids = configs.map(({ id }) => id);
  const hint = await suggestion(server, ids, `the servers are ${ids.join(", ")}`);
  return { problem: `there is no server named ${JSON.stringify(server)}; ${hint}` };
}

function ambiguous(tool: string, names: readonly string[]): string {
  return `several servers have a tool named ${JSON.stringify(tool)}: ${names.join(", ")}; use one of these names`;
}

interface Offer {
  readonly box: ToolBox;
  readonly configs: readonly ServerConfig[];
  readonly reports: readonly ServerReport[];
}

/**
 * The name of a tool among what the started servers offer: as it is, or of the only server that has a tool of this bare name.
 * That is certain only if every server has listed its tools: one that is down may have the tool that was meant.
 */
function offeredName(
  name: string,
  { box, configs, reports }: Offer,
): { readonly name: string; readonly several?: string } {
  if (toolNamed(box, name) || box.refusalOf?.(name)) return { name };
  if (!haveAllListed(reports)) return { name };
  const names = bareToolNames(name, configs, (shown) => toolNamed(box, shown) !== undefined);
  return names.length > 1 ? { name, several: ambiguous(name, names) } : { name: names[0] ?? name };
}

interface Wanted {
  readonly name: string;
  readonly configs: readonly ServerConfig[];
  readonly signal: AbortSignal;
}

/** Starts the servers that may have a tool until one offers it. */
async function serversWith(run: Run, { name, configs, signal }: Wanted): Promise<OpenServers> {
  const likely = await likelyServers(run, name, configs);
  const first = likely.length > 0 ? likely : configs;
  await useRunningServers(run, first);
  const servers = await openServers(run, {
    servers: first,
    supervision: false,
    answers: folderRoots(run.cwd),
  });
  // Do not wait for all servers: a slow one must not delay a call to another.
  const isOffered = offered(servers.box, name);
  await firstOf([servers.settled, isOffered], { signal });
  if (!toolNamed(servers.box, name) && !servers.box.refusalOf?.(name) && !signal.aborted) {
    const rest = configs.filter((server) => !first.includes(server));
    const started = Promise.all(rest.map((server) => servers.fleet.addServer(server)));
    await firstOf([started, isOffered], { signal });
  }
  return servers;
}

/**
 * Overrides the deadlines of a server's row, which may be shorter than `--timeout`. Our own signal enforces `--timeout`, so the
 * server's deadline must not expire at the same moment.
 */
function withTimeout(server: ServerConfig, ms: number): ServerConfig {
  const deadlineMs = ms + 60_000;
  return { ...server, timeouts: { ...server.timeouts, callMs: deadlineMs, totalMs: deadlineMs } };
}

function toolNamed(box: ToolBox, name: string): ToolDescriptor | undefined {
  return box.descriptors().find((tool) => tool.name === name);
}

/** Resolves as soon as there is a tool of that name; may never resolve. */
function offered(box: ToolBox, name: string): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (toolNamed(box, name)) resolve();
    };
    box.onChange(check);
    check();
  });
}

function haveAllListed(reports: readonly ServerReport[]): boolean {
  return reports.every(({ isUsable, standing }) => isUsable || standing === "disabled");
}

interface UnknownTool {
  readonly message: string;
  /** The server that the name begins with, or else every server, has listed its tools: the name is wrong. */
  readonly isCertain: boolean;
}

async function unknownTool(
  name: string,
  box: ToolBox,
  reports: readonly ServerReport[],
): Promise<UnknownTool> {
  const known = box.descriptors().map((tool) => tool.name);
  // Probably a tool of a server that is not approved, not running, or could not list its tools.
  const owner =
    reports.find(({ standing, server }) => standing === "untrusted" && name.startsWith(server)) ??
    reports.find(({ isUsable, server }) => !isUsable && name.startsWith(`${server}__`));
  if (owner) return { message: owner.summary, isCertain: false };
  const down = reports.filter(({ isConnected }) => !isConnected);
  const missing = down.length > 0 ? ` (not connected: ${down.map(({ server }) => server).join(", ")})` : "";
  const isCertain =
    haveAllListed(reports) ||
    reports.some(({ isUsable, server }) => isUsable && name.startsWith(`${server}__`));
  return { message: `${await unknownToolMessage(name, known, "indus mcp tools")}${missing}`, isCertain };
}

/** A caller that shows progress, as time if the number of steps is not known, and answers no question but the one for its folder. */
function callerShowing(show: (text: string) => void, name: string, folder: string): Caller {
  const startedMs = performance.now();
  return {
    key: "indus",
    ...folderRoots(folder),
    progress: ({ progress, total, message = "" }) => {
      const seconds = Math.floor((performance.now() - startedMs) / 1_000);
      const done = total === undefined ? `${seconds} s` : `${progress}/${total}`;
      show(escapeForDisplay(`${name}: ${done} ${message}`).trimEnd());
    },
  };
}
