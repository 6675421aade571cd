import { CoreError, joinSignals } from "../../../core/index.ts";
import type { Answers, CallerAbilities, Questions } from "../../../runtime/index.ts";
import { missingAbility } from "../../../runtime/internal.ts";
import type { ConnectedClient } from "../../contract/index.ts";
import { attempt } from "./attempt.ts";
import type { HostConnection } from "./host-connection.ts";
import { peerClient } from "./host-peer.ts";
import { AS_RECEIVED } from "./request-context.ts";

/** Reports a connection's client to the host's observer. Returns a function that reports its end. */
export function observeClient(connection: HostConnection): () => void {
  const { core, server, peer } = connection;
  const gone = new AbortController();
  const client = connectedClient(connection, gone.signal);
  const report = (message: string): void => core.report(message);
  const connected = (): void => attempt(() => core.clients.connected?.(client), report);
  if (peer.era === "modern") connected();
  else {
    server.oninitialized = connected;
    server.setNotificationHandler("notifications/roots/list_changed", () =>
      attempt(() => core.clients.rootsChanged?.(client), report),
    );
  }
  return () => {
    gone.abort(new CoreError("disconnected", "the client disconnected"));
    core.clients.disconnected?.(client);
  };
}

function connectedClient(connection: HostConnection, gone: AbortSignal): ConnectedClient {
  const { peer } = connection;
  const abilities = (): CallerAbilities => (peer.era === "modern" ? {} : connection.introduction().can);
  return {
    ...peerClient(peer),
    get can() {
      return abilities();
    },
    ask: (requests, signal) => askOutside(connection, requests, { can: abilities(), gone, signal }),
  };
}

interface OutsideQuestion {
  readonly can: CallerAbilities;
  readonly gone: AbortSignal;
  readonly signal: AbortSignal | undefined;
}

/** In the legacy era a client can be asked at any time. */
async function askOutside(
  { server, core, elicitations }: HostConnection,
  requests: Questions,
  { can, gone, signal }: OutsideQuestion,
): Promise<Answers> {
  elicitations.note(requests);
  const options = { signal: joinSignals(signal, gone), timeout: core.questionMs };
  const answers = Object.entries(requests).map(async ([key, question]) => {
    const missing = missingAbility(can, question);
    if (missing) throw missing;
    const { method, params = {} } = question;
    return [key, await server.request({ method, params: { ...params } }, AS_RECEIVED, options)] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}
