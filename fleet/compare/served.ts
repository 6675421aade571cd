import { setTimeout as sleep } from "node:timers/promises";
import { wireName } from "indusagi/interop";
import { freshState, NAME_LIMIT, stateEnvironment, writeConfiguration } from "../configuration.ts";
import { inParallel } from "../in-parallel.ts";
import { callIn, type Scratch } from "../scratch.ts";
import type { FleetServer } from "../server-list.ts";
import { isFailure, type Observed, type ToolDefinition } from "./observation.ts";
import { type OfficialConnection, openOfficialClient } from "./official-client.ts";

export interface ServedOptions {
  readonly scratch: Scratch;
  readonly mark: string;
  /** The file that starts `indus`. */
  readonly indus: string;
  /** What the official client sees of each server directly: whose tools are waited for. */
  readonly direct: ReadonlyMap<string, Observed>;
}

const LIMITS = { connectMs: 60_000, callMs: 60_000 };
/** For all servers to be ready. */
const READY_MS = 240_000;
const POLL_MS = 2_000;
const CALLS_AT_ONCE = 2;

/** Connects the official client to one `indus serve --stdio` with all servers, and calls one tool of each. */
export async function observeServed(
  servers: readonly FleetServer[],
  { scratch, mark, indus, direct }: ServedOptions,
): Promise<ReadonlyMap<string, Observed>> {
  const file = writeConfiguration(servers, { scratch, mark, name: "served" });
  const connection = await openOfficialClient(
    {
      command: process.execPath,
      args: [indus, "serve", "--stdio", "--mcp", file],
      env: stateEnvironment(freshState(scratch, "served")),
      cwd: scratch.root,
    },
    LIMITS,
  );
  try {
    const awaited = servers.filter(({ name }) => hasTools(direct.get(name)));
    const { listing, readyMs } = await completeListing(connection, awaited);
    const observed = new Map<string, Observed>();
    await inParallel(servers, CALLS_AT_ONCE, async (server) => {
      const tools = toolsOf(server, listing, direct.get(server.name));
      const isMissing = tools.length === 0 && hasTools(direct.get(server.name));
      if (isMissing) {
        observed.set(server.name, { failure: `no tools within ${READY_MS / 1000} s` });
        return;
      }
      const call = server.call && callIn(scratch, server.call);
      const answer = call && (await connection.call({ ...call, tool: servedName(server, call.tool) }));
      const readyAfter = readyMs.get(server.name) ?? 0;
      observed.set(server.name, { tools, readyMs: readyAfter, ...(answer ? { answer } : {}) });
    });
    return observed;
  } finally {
    await connection.close();
  }
}

/** Lists until every awaited server has tools, or too much time has passed. */
async function completeListing(
  connection: OfficialConnection,
  awaited: readonly FleetServer[],
): Promise<{ readonly listing: readonly ToolDefinition[]; readonly readyMs: ReadonlyMap<string, number> }> {
  const startMs = performance.now();
  const readyMs = new Map<string, number>();
  for (;;) {
    const { tools: listing } = await connection.listTools();
    const passedMs = performance.now() - startMs;
    for (const { name } of awaited) {
      const isThere = listing.some((tool) => tool.name.startsWith(`${name}__`));
      if (isThere && !readyMs.has(name)) readyMs.set(name, passedMs);
    }
    if (readyMs.size === awaited.length || passedMs > READY_MS) return { listing, readyMs };
    await sleep(POLL_MS);
  }
}

/** The tools of one server in a listing of all, under the server's own names. */
function toolsOf(
  server: FleetServer,
  listing: readonly ToolDefinition[],
  direct: Observed | undefined,
): ToolDefinition[] {
  const known = direct === undefined || isFailure(direct) ? [] : direct.tools;
  const ownNames = new Map(known.map(({ name }) => [servedName(server, name), name]));
  const prefix = `${server.name}__`;
  return listing.flatMap((tool) => {
    const own = ownNames.get(tool.name);
    if (own !== undefined) return [{ ...tool, name: own }];
    return tool.name.startsWith(prefix) ? [{ ...tool, name: tool.name.slice(prefix.length) }] : [];
  });
}

function servedName({ name }: FleetServer, tool: string): string {
  return wireName({ server: name, name: tool }, NAME_LIMIT);
}

function hasTools(observed: Observed | undefined): boolean {
  return observed !== undefined && !isFailure(observed) && observed.tools.length > 0;
}
