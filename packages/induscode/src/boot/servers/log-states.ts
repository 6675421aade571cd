import type { EndpointStatus, ServerFleet } from "indusagi/interop";
import { showState } from "../../screen/index.ts";
import type { ServerLog } from "../../server-log/index.ts";

/** Records each change of a server's state, with the reason. */
export function logStates(fleet: Pick<ServerFleet, "onStatus">, log: ServerLog): void {
  const last = new Map<string, string>();
  fleet.onStatus((status: EndpointStatus) => {
    const text = showState(status).replace(/: -$/, "");
    if (last.get(status.server) === text) return;
    last.set(status.server, text);
    log.record(status.server, { kind: "state", text });
  });
}
