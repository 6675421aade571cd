import { showStatuses, showToolLines } from "../../screen/index.ts";
import type { SessionServers, SlashCommand, SlashContext } from "./slash-context.ts";

const VERBS = ["status", "connect", "reconnect", "disconnect", "tools"] as const;
type Verb = (typeof VERBS)[number];

/** `/mcp`: the servers of the session. */
export const mcpCommand: SlashCommand = {
  name: "mcp",
  operands: "[status | connect | reconnect | disconnect | tools] [SERVER]",
  summary: "Show the servers, connect or disconnect them, or list their tools.",
  run: async (context, [verb = "status", ...names]) => {
    const { servers, complain } = context;
    const known = VERBS.find((each) => each === verb);
    if (!known) complain(`/mcp has no ${JSON.stringify(verb)}; it has ${VERBS.join(", ")}`);
    else if (!servers) complain("this session has no servers: it was started with --no-tools");
    else await RUN[known]({ ...context, servers }, names);
    return undefined;
  },
};

type McpContext = SlashContext & { readonly servers: SessionServers };

const RUN: { readonly [verb in Verb]: (context: McpContext, names: readonly string[]) => Promise<void> } = {
  status: async (context, names) => {
    if (names.length === 0 || chosen(context, names)) printStatus(context, names);
  },
  connect: async (context, names) => {
    const { servers, disconnected, complain } = context;
    const wanted = names.length > 0 ? names : idle(context);
    const listed = new Set(servers.statuses().map(({ server }) => server));
    const unknown = wanted.find((name) => !disconnected.has(name) && !listed.has(name));
    if (unknown !== undefined) return complain(unknownServer(context, unknown));
    if (wanted.length === 0) context.stage.printFolded("Every server is connected.");
    await Promise.all(
      wanted.map(async (name) => {
        const config = disconnected.get(name);
        disconnected.delete(name);
        await (config ? servers.fleet.addServer(config) : servers.fleet.restart(name));
      }),
    );
    if (wanted.length > 0) printStatus(context, wanted);
  },
  reconnect: async (context, names) => {
    const wanted = chosen(context, names);
    if (!wanted) return;
    await Promise.all(wanted.map((name) => context.servers.fleet.restart(name)));
    printStatus(context, wanted);
  },
  disconnect: async (context, names) => {
    const { servers, disconnected, stage } = context;
    const wanted = chosen(context, names);
    if (!wanted) return;
    await Promise.all(
      wanted.map(async (name) => {
        const config = servers.fleet.endpoint(name)?.config;
        if (await servers.fleet.removeServer(name)) {
          if (config) disconnected.set(name, config);
          stage.printFolded(`${name} is disconnected; /mcp connect ${name} connects it again`);
        }
      }),
    );
  },
  tools: async (context, names) => {
    const { servers, stage, complain } = context;
    const wanted = chosen(context, names);
    if (!wanted) return;
    // Of many tools the session lists only a few to the model. Here are all.
    const tools = servers.box
      .descriptors()
      .filter(({ origin }) => origin !== undefined && wanted.includes(origin.server));
    if (tools.length === 0) return complain("there are no tools of servers; /mcp status shows why");
    stage.print(showToolLines(tools, stage.look));
  },
};

/** The servers that are not connected and may be. */
function idle({ servers, disconnected }: McpContext): readonly string[] {
  const down = servers.statuses().filter(({ phase, state }) => phase !== "ready" && state !== "disabled");
  return [...down.map(({ server }) => server), ...disconnected.keys()];
}

/** The named servers, or all. Complains, and returns nothing, about an unknown one. */
function chosen(context: McpContext, names: readonly string[]): readonly string[] | undefined {
  const all = context.servers.statuses().map(({ server }) => server);
  const unknown = names.find((name) => !all.includes(name));
  if (unknown === undefined) return names.length > 0 ? names : all;
  context.complain(unknownServer(context, unknown));
  return undefined;
}

function unknownServer({ servers, disconnected }: McpContext, name: string): string {
  const known = [...servers.statuses().map(({ server }) => server), ...disconnected.keys()];
  return `there is no server ${JSON.stringify(name)}; there ${known.length > 0 ? `is ${known.join(", ")}` : "are none"}`;
}

function printStatus({ servers, disconnected, stage }: McpContext, names: readonly string[]): void {
  const rows = servers.statuses().filter(({ server }) => names.length === 0 || names.includes(server));
  if (rows.length > 0) stage.print(showStatuses(rows, stage.look));
  else stage.printFolded("There are no servers; indus mcp add adds one.");
  if (names.length === 0 && disconnected.size > 0)
    stage.printFolded(`disconnected: ${[...disconnected.keys()].join(", ")}`);
}
