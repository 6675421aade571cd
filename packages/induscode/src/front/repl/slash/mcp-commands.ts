import { escapeForDisplay, untilAborted } from "indusagi/core";
import { showToolLines } from "../../../screen/index.ts";
import { serverReport, showStatuses } from "../../../servers/doctor/index.ts";
import { type ReplServers, type SlashCommand, type SlashContext, whileShown } from "./slash-context.ts";

const VERBS = ["status", "connect", "reconnect", "disconnect", "tools"] as const;
type Verb = (typeof VERBS)[number];

/** `/mcp`: the servers of the session. */
export const mcpCommand: SlashCommand = {
  name: "mcp",
  operands: "[status | connect | reconnect | disconnect | tools] [SERVER]",
  summary: "Show the servers, connect or disconnect them, or list their tools.",
  words: VERBS,
  run: async (context, [verb = "status", ...names]) => {
    const { servers, complain } = context;
    const known = VERBS.find((each) => each === verb);
    if (!known) complain(`/mcp has no ${JSON.stringify(verb)}; it has ${VERBS.join(", ")}`);
    else if (!servers) complain("this session has no servers: it was started with --no-tools");
    else await RUN[known]({ ...context, servers }, names);
    return undefined;
  },
};

type McpContext = SlashContext & { readonly servers: ReplServers };

const RUN: { readonly [verb in Verb]: (context: McpContext, names: readonly string[]) => Promise<void> } = {
  status: async (context, names) => {
    if (names.length === 0 || chosen(context, names)) printStatus(context, names);
  },
  connect: async (context, names) => {
    const { servers, disconnected, stage } = context;
    const unknown = names.find((name) => !disconnected.has(name) && !rows(context).has(name));
    if (unknown !== undefined) return complainAbout(context, unknown);
    const wanted = (names.length > 0 ? names : [...rows(context).keys(), ...disconnected.keys()]).filter(
      (name) => disconnected.has(name) || canConnect(context, name),
    );
    if (wanted.length === 0) {
      stage.printFolded("There is nothing to connect; /mcp reconnect restarts a server.");
      return printStatus(context, names);
    }
    await started(context, wanted, async (name) => {
      const config = disconnected.get(name);
      disconnected.delete(name);
      await (config ? servers.fleet.addServer(config) : servers.fleet.restart(name));
    });
  },
  reconnect: async (context, names) => {
    const wanted = chosen(context, names);
    if (wanted) await started(context, wanted, (name) => context.servers.fleet.restart(name));
  },
  disconnect: async (context, names) => {
    const { servers, disconnected, stage, signal } = context;
    const wanted = chosen(context, names);
    if (!wanted) return;
    if (wanted.length === 0) return printStatus(context, []);
    const removals = wanted.map(async (name) => {
      const config = servers.fleet.endpoint(name)?.config;
      // First, so it can be connected again whatever happens next.
      if (config) disconnected.set(name, config);
      await servers.fleet.removeServer(name);
      const shown = escapeForDisplay(name);
      stage.printFolded(`${shown} is disconnected; /mcp connect ${shown} connects it again`);
    });
    await untilAborted(Promise.all(removals), signal);
  },
  tools: async (context, names) => {
    const { servers, stage, complain } = context;
    const wanted = chosen(context, names);
    if (!wanted) return;
    // All of them, even if the session lists only a few to the model.
    const tools = servers.box
      .descriptors()
      .filter(({ origin }) => origin !== undefined && wanted.includes(origin.server));
    if (tools.length === 0) return complain("no server has tools; /mcp status shows why");
    stage.print(showToolLines(tools, stage.look));
  },
};

/** Starts servers and shows their state. Ctrl-C stops waiting; the servers keep starting. */
async function started(
  context: McpContext,
  names: readonly string[],
  start: (name: string) => Promise<unknown>,
): Promise<void> {
  const { stage, signal } = context;
  const shown = names.map((name) => escapeForDisplay(name)).join(", ");
  const work = untilAborted(Promise.all(names.map(start)), signal);
  await whileShown(stage, `· waiting for ${shown}; Ctrl-C stops waiting`, work);
  printStatus(context, names);
}

function rows({ servers }: McpContext): ReadonlyMap<string, ReturnType<ReplServers["statuses"]>[number]> {
  return new Map(servers.statuses().map((status) => [status.server, status]));
}

/** Whether a server is not connected and may be. */
function canConnect(context: McpContext, name: string): boolean {
  const status = rows(context).get(name);
  if (!status) return false;
  const { isConnected, standing } = serverReport(status);
  return !isConnected && standing !== "disabled";
}

/** The named servers, or all. If one is unknown, complains and returns undefined. */
function chosen(context: McpContext, names: readonly string[]): readonly string[] | undefined {
  const all = [...rows(context).keys()];
  const unknown = names.find((name) => !all.includes(name));
  if (unknown === undefined) return names.length > 0 ? names : all;
  complainAbout(context, unknown);
  return undefined;
}

function complainAbout(context: McpContext, name: string): void {
  const { disconnected, complain } = context;
  if (disconnected.has(name)) return complain(`${name} is disconnected; /mcp connect ${name} connects it`);
  const known = [...rows(context).keys(), ...disconnected.keys()];
  complain(
    `there is no server ${JSON.stringify(name)}; ${known.length > 0 ? `the servers are ${known.join(", ")}` : "the session has none"}`,
  );
}

function printStatus({ servers, disconnected, stage }: McpContext, names: readonly string[]): void {
  const shown = servers.statuses().filter(({ server }) => names.length === 0 || names.includes(server));
  if (shown.length > 0) stage.print(showStatuses(shown, stage.look));
  else if (disconnected.size === 0) stage.printFolded("There are no servers; indus mcp add adds one.");
  if (names.length === 0 && disconnected.size > 0)
    stage.printFolded(
      `disconnected: ${[...disconnected.keys()].map((name) => escapeForDisplay(name)).join(", ")}`,
    );
}
