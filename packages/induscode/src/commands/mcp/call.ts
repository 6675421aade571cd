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
import { noAnswerMessage, printOutcome, unknownToolMessage } from "../../screen/index.ts";
import { fileSaver, progressLine } from "../../screen/terminal/index.ts";
import { type ServerReport, serverReport } from "../../servers/doctor/index.ts";
import { findServers, likelyServers, openServers } from "../../servers/internal.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import { CALL_FLAGS, givenInput, readToolRequest, type ToolRequest } from "../tool-request.ts";
import { chosenServers } from "./start-servers.ts";

interface ServerToolRequest extends ToolRequest {
  readonly sources: ServerSources;
  /** The folder for images and other binary content. */
  readonly saveTo?: string | undefined;
}

export const MCP_CALL: CommandSpec<ServerToolRequest> = {
  name: "mcp call",
  group: "everyday",
  operands: "TOOL [name=value …]",
  summary: "Call a tool of a configured server. name:=json passes a JSON value.",
  flags: [...CALL_FLAGS, SAVE_TO, ...SERVER_FLAGS],
  examples: [
    "indus mcp call units__convert amount=3 from=ft to=m --mcp servers.json",
    `indus mcp call notes__add --args '{"text":"hello"}' --json --mcp servers.json`,
  ],
  read: (flags) => {
    const request = readToolRequest(flags, "mcp call");
    return "problem" in request ? request : { sources: readSources(flags), ...readSaveTo(flags), ...request };
  },
};

/**
 * `indus mcp call`: calls one tool of the configured servers and prints its answer. Starts the server that probably has the
 * tool, and the others only if that one does not list it.
 */
export async function mcpCall(run: Run, request: ServerToolRequest): Promise<number> {
  const { tool: name, sources, timeoutMs, check } = request;
  const given = await givenInput(run, request);
  if (!given) return 2;
  const found = await findServers(run, sources, { withoutRequired: true });
  const loaded = found && (await chosenServers(found, [], run.report));
  if (!loaded) return 1;
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signal = joinSignals(run.signal, timeout);
  const configs = timeoutMs === undefined ? loaded : loaded.map((server) => withTimeout(server, timeoutMs));
  const servers = await serversWith(run, { name, configs, signal });
  const tool = toolNamed(servers.box, name);
  const complain = (message: string): void => {
    if (!run.signal.aborted) run.report(message);
  };
  if (!tool && servers.box.refusalOf?.(name)) return 1; // Reported when its server listed it.
  if (!tool) {
    const reports = servers.statuses().map(serverReport);
    complain(
      signal.aborted ? noAnswerMessage(name, timeoutMs) : await unknownTool(name, servers.box, reports),
    );
    return 1;
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

interface Wanted {
  readonly name: string;
  readonly configs: readonly ServerConfig[];
  readonly signal: AbortSignal;
}

/** Starts the servers that may have a tool until one offers it. */
async function serversWith(run: Run, { name, configs, signal }: Wanted): Promise<OpenServers> {
  const likely = await likelyServers(run, name, configs);
  const first = likely.length > 0 ? likely : configs;
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

async function unknownTool(name: string, box: ToolBox, reports: readonly ServerReport[]): Promise<string> {
  const known = box.descriptors().map((tool) => tool.name);
  // Probably a tool of a server that is not approved, not running, or could not list its tools.
  const owner =
    reports.find(({ standing, server }) => standing === "untrusted" && name.startsWith(server)) ??
    reports.find(({ isUsable, server }) => !isUsable && name.startsWith(`${server}__`));
  if (owner) return owner.summary;
  const down = reports.filter(({ isConnected }) => !isConnected);
  const missing = down.length > 0 ? ` (not connected: ${down.map(({ server }) => server).join(", ")})` : "";
  return `${await unknownToolMessage(name, known, "indus mcp tools")}${missing}`;
}

/** A caller that shows progress and answers no question but the one for its folder. */
function callerShowing(show: (text: string) => void, name: string, folder: string): Caller {
  return {
    key: "indus",
    ...folderRoots(folder),
    progress: ({ progress, total, message = "" }) => {
      const done = total === undefined ? `${progress}` : `${progress}/${total}`;
      show(escapeForDisplay(`${name}: ${done} ${message}`).trimEnd());
    },
  };
}
