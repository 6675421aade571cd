import { backoffMs, isRecord, systemClock } from "../../../core/index.ts";
import { RpcCode } from "../../wire/index.ts";
import type { Peer } from "../connect/handshake.ts";
import { symptomsOf } from "../faults/symptoms.ts";

/** A subscription that lasted this long was healthy: the next one is requested without backoff. */
const SOUND_MS = 30_000;
const MAX_WAIT_MS = 60_000;

export interface ListenOptions {
  readonly peer: Peer;
  /** Stops listening. */
  readonly signal: AbortSignal;
  /** Called with the method of each notification that may have been missed. */
  readonly onMissed: (method: string) => void;
  /** Called when a subscription begins and when it has ended: only in between are changes reported. */
  readonly onListening: (isListening: boolean) => void;
  readonly note: (message: string) => void;
}

/**
 * Subscribes to list changes in the modern era. Notifications arrive through the tap. A subscription ends with its
 * stream, for example when a proxy closes an idle one, so it is renewed until the session ends.
 */
export async function listenForChanges(options: ListenOptions): Promise<void> {
  const { peer, signal, onMissed, onListening, note } = options;
  const lists = changingLists(peer);
  if (lists.length === 0) return;
  const filter = Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true]));
  let failures = 0;
  for (let round = 0; !signal.aborted && peer.isConnected(); round++) {
    try {
      const subscription = await peer.listen(filter);
      const startedMs = performance.now();
      if (round > 0) reportMissed(peer, onMissed);
      onListening(true);
      await subscription.closed.finally(() => onListening(false));
      if (performance.now() - startedMs >= SOUND_MS) failures = 0;
    } catch (thrown) {
      if (signal.aborted || !peer.isConnected()) return;
      note("cannot subscribe to list changes");
      if (isFinal(thrown)) return;
    }
    await systemClock.sleep(backoffMs(failures++, { maxMs: MAX_WAIT_MS }), signal).catch(() => {});
  }
}

/** Reports each list as possibly changed. */
export function reportMissed(peer: Peer, onMissed: (method: string) => void): void {
  for (const list of changingLists(peer)) onMissed(`notifications/${list}/list_changed`);
}

/** The lists whose changes the server announces. */
function changingLists({ capabilities }: Pick<Peer, "capabilities">): readonly string[] {
  return ["tools", "prompts", "resources"].filter((list) => {
    const can = capabilities[list];
    return isRecord(can) && can["listChanged"] === true;
  });
}

/** The server does not know the method, or requires a login: retrying does not help. */
function isFinal(thrown: unknown): boolean {
  return (
    (thrown as { readonly code?: unknown }).code === RpcCode.METHOD_NOT_FOUND ||
    symptomsOf(thrown).status === 401
  );
}
