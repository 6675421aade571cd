import type { Run } from "../boot/internal.ts";
import { defaultModel, modelAdvice } from "../conductor/open/internal.ts";
import { type CommandSpecs, shortHelp } from "../launch/internal.ts";
import { type KnownServer, showKnownServers } from "../servers/doctor/index.ts";
import { type FoundServer, findServers } from "../servers/internal.ts";

/** `indus` without arguments: a short help, and what is known about this folder's servers. Starts nothing. */
export async function overview(run: Run, commands: CommandSpecs): Promise<number> {
  const { terminal } = run;
  const look = terminal.outLook;
  const found = await findServers(run, { mcp: [], run: [] }, { withoutRequired: true });
  const servers = found?.servers ?? [];
  const memory = servers.length > 0 ? await run.state.memory() : undefined;
  const rows = servers.map((server) => knownServer(server, memory?.entry(server.config)));
  const state =
    rows.length > 0
      ? showKnownServers(rows, look)
      : "No servers are configured for this folder; indus mcp add adds one.\n";
  terminal.out(`${shortHelp(commands, look?.width)}\n${state}`);
  const isTerminal = terminal.keys && terminal.outIsScreen;
  if (isTerminal && (await defaultModel(run.env)) === undefined)
    terminal.out(`\nindus: ${await modelAdvice(run.env, look?.width)}\n`);
  return 0;
}

type Entry = ReturnType<NonNullable<Awaited<ReturnType<Run["state"]["memory"]>>>["entry"]>;

function knownServer({ config, origin, trust }: FoundServer, entry: Entry): KnownServer {
  const { enabled = true } = config;
  const isOff = !enabled || trust === "pending" || trust === "refused";
  return {
    server: config.id,
    origin: origin.scope,
    state: enabled ? trust : "disabled",
    ...(entry?.listing && !isOff ? { tools: entry.listing.tools.length } : {}),
    failures: isOff ? 0 : (entry?.failures ?? 0),
  };
}
