import { escapeForDisplay, joinSignals, mintUlid } from "indusagi/core";
import type { EndpointStatus, ServerConfig } from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import type { Caller, ToolBox, ToolOutcome } from "indusagi/runtime";
import type { Terminal } from "../boot/index.ts";
import { firstOf, loadServers, openServers } from "../boot/internal.ts";
import type { ServerToolRequest } from "../launch/index.ts";
import { noSuchTool } from "./no-such-tool.ts";
import { onScreen } from "./on-screen.ts";
import { showBlock } from "./show-block.ts";
import { showJson } from "./show-json.ts";
import { typedInput } from "./typed-input.ts";

/** `indus mcp call`: calls one tool of the servers in the files and prints its answer. */
export async function callServerTool(
  terminal: Terminal,
  request: ServerToolRequest,
  ending: AbortSignal,
): Promise<number> {
  const { tool: name, given, mcp, timeoutMs, json } = request;
  const loaded = await loadServers(mcp, terminal, { withoutRequired: true });
  if (!loaded) return 1;
  const signal = joinSignals(ending, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs));
  const servers = timeoutMs === undefined ? loaded : loaded.map((server) => patientFor(server, timeoutMs));
  await using open = await openServers({ servers, supervision: false });
  // Not for all the servers: a slow one that has nothing to do with this call should not delay it.
  await firstOf([open.settled, offered(open.box, name)], { signal });
  const tool = toolNamed(open.box, name);
  const complain = (message: string): void => {
    if (!ending.aborted) terminal.err(`indus: ${escapeForDisplay(message)}\n`);
  };
  if (!tool) {
    const down = open.statuses().filter(({ phase }) => phase !== "ready");
    complain(signal.aborted ? noAnswer(name, timeoutMs) : unknownTool(name, open.box, down));
    return 1;
  }
  const call = { id: mintUlid(), name, input: typedInput(tool.parameters, given) };
  const outcome = await open.box.runner.run(call, signal, callerAt(terminal, name));
  if (outcome.fault?.reason === "aborted") complain(noAnswer(name, timeoutMs));
  else showOutcome(terminal, outcome, json);
  return outcome.isError ? 1 : 0;
}

/**
 * The time given by hand counts, also where it is longer than what the server's row allows a call. It is kept by our
 * own signal, so the server's deadline must not come at the same moment.
 */
function patientFor(server: ServerConfig, ms: number): ServerConfig {
  const patience = ms + 60_000;
  return { ...server, timeouts: { ...server.timeouts, callMs: patience, totalMs: patience } };
}

function noAnswer(name: string, timeoutMs = 0): string {
  return `no answer from ${name} within ${timeoutMs / 1000} s; give it more with --timeout`;
}

function toolNamed(box: ToolBox, name: string): ToolDescriptor | undefined {
  return box.descriptors().find((tool) => tool.name === name);
}

/** Resolves as soon as there is a tool of that name; perhaps never. */
function offered(box: ToolBox, name: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (toolNamed(box, name)) resolve();
    };
    box.onChange(look);
    look();
  });
}

function unknownTool(name: string, box: ToolBox, down: readonly EndpointStatus[]): string {
  const known = box.descriptors().map((tool) => tool.name);
  const missing = down.length > 0 ? ` (not connected: ${down.map(({ server }) => server).join(", ")})` : "";
  return `${noSuchTool(name, known, "indus mcp list")}${missing}`;
}

/** Somebody is there to see progress, nobody to answer questions. */
function callerAt(terminal: Terminal, name: string): Caller {
  if (!terminal.errIsScreen) return { key: "indus", can: {} };
  return {
    key: "indus",
    can: {},
    progress: ({ progress, total, message = "" }) => {
      const far = total === undefined ? `${progress}` : `${progress}/${total}`;
      terminal.err(`${escapeForDisplay(`${name}: ${far} ${message}`).trimEnd()}\n`);
    },
  };
}

function showOutcome(terminal: Terminal, outcome: ToolOutcome, json: boolean): void {
  const { result, isError, fault } = outcome;
  const blocks = result.content.map(showBlock);
  const text = blocks.length === 0 && result.structured !== undefined ? showJson(result.structured) : "";
  const words = blocks.length === 0 ? text : `${blocks.join("\n")}\n`;
  if (json) terminal.out(showJson(outcome.wire?.value() ?? { isError, ...result, fault }));
  else if (!isError) terminal.out(terminal.outIsScreen ? onScreen(words) : words);
  if (isError) terminal.err(onScreen(words === "" ? "the tool failed and did not say why\n" : words));
}
