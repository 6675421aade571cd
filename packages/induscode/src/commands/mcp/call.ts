import { escapeForDisplay, joinSignals, mintUlid } from "indusagi/core";
import type { EndpointStatus, ServerConfig } from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import type { Caller, ToolBox } from "indusagi/runtime";
import type { Terminal } from "../../boot/index.ts";
import { firstOf, type Run } from "../../boot/internal.ts";
import { inputProblem, typedInput } from "../../launch/arguments/index.ts";
import type { ServerToolRequest } from "../../launch/internal.ts";
import { noAnswerMessage, printOutcome, unknownToolMessage } from "../../screen/index.ts";
import { chosenServers } from "./chosen-servers.ts";

/**
 * `indus mcp call`: calls one tool of the configured servers and prints its answer. Starts the server that the tool
 * probably belongs to, and the others only if that one does not list it.
 */
export async function mcpCall(run: Run, request: ServerToolRequest): Promise<number> {
  const { tool: name, given, sources, timeoutMs, json, check } = request;
  const found = await run.findServers(sources, { withoutRequired: true });
  const loaded = found && (await chosenServers(found, [], run.report));
  if (!loaded) return 1;
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signal = joinSignals(run.signal, timeout);
  const configs = timeoutMs === undefined ? loaded : loaded.map((server) => withTimeout(server, timeoutMs));
  const likely = await run.likelyServers(name, configs);
  const first = likely.length > 0 ? likely : configs;
  const servers = await run.openServers({ servers: first, supervision: false });
  // Not for all servers: a slow one must not delay a call to another.
  const isOffered = offered(servers.box, name);
  await firstOf([servers.settled, isOffered], { signal });
  if (!toolNamed(servers.box, name) && !signal.aborted) {
    const rest = configs.filter((server) => !first.includes(server));
    await firstOf([Promise.all(rest.map((server) => servers.fleet.addServer(server))), isOffered], {
      signal,
    });
  }
  const tool = toolNamed(servers.box, name);
  const complain = (message: string): void => {
    if (!run.signal.aborted) run.report(message);
  };
  if (!tool) {
    const down = servers.statuses().filter(({ phase }) => phase !== "ready");
    complain(signal.aborted ? noAnswerMessage(name, timeoutMs) : await unknownTool(name, servers.box, down));
    return 1;
  }
  const input = typedInput(tool.parameters, given);
  const problem = check ? inputProblem(tool, input) : undefined;
  if (problem !== undefined) {
    complain(problem);
    return 2;
  }
  const call = { id: mintUlid(), name, input };
  const outcome = await servers.box.runner.run(call, signal, callerAt(run.terminal, name));
  if (outcome.fault?.reason === "aborted") complain(noAnswerMessage(name, timeoutMs));
  else printOutcome(run.terminal, outcome, json);
  return outcome.isError ? 1 : 0;
}

/**
 * Replaces the deadlines of a server's row, which may be shorter than `--timeout`. Our own signal keeps the time, so the
 * server's deadline must not expire at the same moment.
 */
function withTimeout(server: ServerConfig, ms: number): ServerConfig {
  const deadlineMs = ms + 60_000;
  return { ...server, timeouts: { ...server.timeouts, callMs: deadlineMs, totalMs: deadlineMs } };
}

function toolNamed(box: ToolBox, name: string): ToolDescriptor | undefined {
  return box.descriptors().find((tool) => tool.name === name);
}

/** Resolves as soon as there is a tool of that name, perhaps never. */
function offered(box: ToolBox, name: string): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (toolNamed(box, name)) resolve();
    };
    box.onChange(check);
    check();
  });
}

async function unknownTool(name: string, box: ToolBox, down: readonly EndpointStatus[]): Promise<string> {
  const known = box.descriptors().map((tool) => tool.name);
  const missing = down.length > 0 ? ` (not connected: ${down.map(({ server }) => server).join(", ")})` : "";
  return `${await unknownToolMessage(name, known, "indus mcp list")}${missing}`;
}

/** A caller that shows progress on a screen and cannot answer questions. */
function callerAt(terminal: Terminal, name: string): Caller {
  if (!terminal.errIsScreen) return { key: "indus", can: {} };
  return {
    key: "indus",
    can: {},
    progress: ({ progress, total, message = "" }) => {
      const done = total === undefined ? `${progress}` : `${progress}/${total}`;
      terminal.err(`${escapeForDisplay(`${name}: ${done} ${message}`).trimEnd()}\n`);
    },
  };
}
