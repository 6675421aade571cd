import { isoTime } from "indusagi/core";
import type { EndpointStatus } from "indusagi/interop";
import { firstOf, type Run } from "../../boot/internal.ts";
import { type CommandSpec, JSON_OUTPUT, SERVER_FLAGS } from "../../launch/internal.ts";
import { showJsonLine } from "../../screen/index.ts";
import { liveArea } from "../../screen/terminal/index.ts";
import { plainStatus, showStatusLine, showWatched } from "../../servers/doctor/index.ts";
import { findServers, openServers } from "../../servers/internal.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import { chosenServers, type NamedServers, readNamedServers } from "./start-servers.ts";

export const MCP_WATCH: CommandSpec<NamedServers> = {
  name: "mcp watch",
  group: "repair",
  operands: "[SERVER …]",
  summary:
    "Start the configured servers and show their state until Ctrl-C: as a table on a terminal, otherwise one line per change.",
  flags: [{ ...JSON_OUTPUT, describe: "Print one JSON object per line for each change." }, ...SERVER_FLAGS],
  examples: ["indus mcp watch", "indus mcp watch --json --mcp servers.json"],
  read: readNamedServers,
};

/** `indus mcp watch`: starts the servers and shows their state until the command is stopped. */
export async function mcpWatch(run: Run, { sources, names, json }: NamedServers): Promise<number> {
  const { terminal, signal, report } = run;
  const found = await findServers(run, sources, { withoutRequired: true });
  const configs = found && (await chosenServers(found, names, report));
  if (!configs) return 1;
  const isLive = !json && terminal.outIsScreen === true && run.env["TERM"] !== "dumb";
  const servers = await openServers(run, { servers: configs, ...(isLive ? {} : { report }) });
  run.defer(isLive ? showTable(run, servers) : showChanges(run, servers, json));
  await firstOf([], { signal });
  return 0;
}

/** The shortest time between two draws, and the longest: the table shows elapsed times. */
const DRAW_MS = 100;
const TICK_MS = 1000;

/** Draws one table in place. Returns a function that stops it. */
function showTable({ terminal }: Run, servers: OpenServers): () => void {
  const since = new Map<string, { readonly state: string; readonly ms: number }>();
  const area = liveArea(terminal);
  let timer: NodeJS.Timeout | undefined;
  const draw = (): void => {
    clearTimeout(timer);
    timer = setTimeout(draw, TICK_MS);
    const nowMs = performance.now();
    const statuses = servers.statuses();
    for (const status of statuses) {
      const state = showStatusLine(status);
      if (since.get(status.server)?.state !== state) since.set(status.server, { state, ms: nowMs });
    }
    const seconds = (server: string): number => (nowMs - (since.get(server)?.ms ?? nowMs)) / 1000;
    area.show(showWatched(statuses, { ...terminal.outLook, secondsOf: seconds }));
  };
  let soon: NodeJS.Timeout | undefined;
  const stopListening = servers.fleet.onStatus(() => {
    soon ??= setTimeout(() => {
      soon = undefined;
      draw();
    }, DRAW_MS);
  });
  draw();
  return () => {
    stopListening();
    clearTimeout(timer);
    clearTimeout(soon);
  };
}

/** Prints one line for each change. Returns a function that stops it. */
function showChanges({ terminal }: Run, servers: OpenServers, json: boolean): () => void {
  const last = new Map<string, string>();
  const print = (status: EndpointStatus): void => {
    const line = showStatusLine(status);
    if (last.get(status.server) === line) return;
    last.set(status.server, line);
    const at = isoTime();
    terminal.out(json ? showJsonLine({ at, ...plainStatus(status) }) : `${at}  ${line}\n`);
  };
  for (const status of servers.statuses()) print(status);
  return servers.fleet.onStatus(print);
}
