import { endMarked, markedGone, markedProcesses, memoryMb } from "../processes.ts";
import { callIn, launchOf, type Scratch } from "../scratch.ts";
import type { FleetServer } from "../server-list.ts";
import type { Observation, Observed } from "./observation.ts";
import { type OfficialConnection, openOfficialClient } from "./official-client.ts";

export interface DirectOptions {
  readonly scratch: Scratch;
  /** Marks the server's processes; different for each run. */
  readonly mark: string;
}

const LIMITS = { connectMs: 60_000, callMs: 30_000 };

/** Uses one server with the official client and nothing in between. */
export async function observeDirect(
  server: FleetServer,
  { scratch, mark }: DirectOptions,
): Promise<Observed> {
  const startMs = performance.now();
  let connection: OfficialConnection | undefined;
  try {
    connection = await openOfficialClient(launchOf(server, scratch, mark), LIMITS);
    const listing = await connection.listTools();
    const readyMs = performance.now() - startMs;
    const answer = server.call ? await connection.call(callIn(scratch, server.call)) : undefined;
    return observation({ ...listing, readyMs, answer, memoryMb: memoryMb(markedProcesses(mark)) });
  } catch (thrown) {
    return { failure: thrown instanceof Error ? thrown.message : String(thrown) };
  } finally {
    await connection?.close();
    // The official client ends only the process it started. A moment for the others to end by themselves.
    await markedGone(mark, LEFTOVER_GRACE_MS);
    endMarked(mark);
  }
}

const LEFTOVER_GRACE_MS = 200;

/** An observation without the members that are undefined. */
function observation(
  members: {
    readonly [Member in keyof Observation]: Observation[Member] | undefined;
  },
): Observation {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
