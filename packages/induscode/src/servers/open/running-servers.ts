import type { InjectedTransport, ServerConfig } from "indusagi/interop";
import { runningInstances } from "../../background/internal.ts";
import type { Run } from "../../boot/internal.ts";
import { repairPath } from "./repair-path.ts";

/**
 * Connects to the servers that run in the user's background gateway already, for `openServers`: a short command and a session start
 * none of them a second time. Each server of a run is asked for once.
 */
export async function useRunningServers(
  run: Run,
  servers: readonly ServerConfig[],
): Promise<ReadonlyMap<string, InjectedTransport>> {
  const { asked, running } = run.notes;
  const unasked = servers.filter(({ id }) => !asked.has(id));
  for (const { id } of unasked) asked.add(id);
  // With another `PATH` they would be other programs.
  const found = await runningInstances(run, unasked, async () => void (await repairPath(run)));
  for (const [id, transport] of found) {
    running.set(id, transport);
    run.defer(() => transport.close());
  }
  return running;
}
