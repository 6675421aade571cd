import type { Client } from "@modelcontextprotocol/client";
import { backoffMs, systemClock } from "../../../core/index.ts";
import { RpcCode } from "../../wire/index.ts";
import { symptomsOf } from "../faults/error-faults.ts";

/** A subscription that stood this long was sound: the next one is asked for soon. */
const SOUND_MS = 30_000;
const MAX_WAIT_MS = 60_000;

export interface ListenOptions {
  readonly client: Client;
  /** Ends the listening. */
  readonly signal: AbortSignal;
  /** Hears the method of each notice that may have been sent while nobody listened. */
  readonly onMissed: (method: string) => void;
  readonly note: (message: string) => void;
}

/**
 * In the modern era changes are told only to those who listen; the notices come through the tap. A subscription ends with
 * its stream, e.g. when a proxy finds it idle or the server is replaced, so it is asked for again until the session is over.
 */
export async function listenForChanges({ client, signal, onMissed, note }: ListenOptions): Promise<void> {
  const lists = changingLists(client);
  if (lists.length === 0) return;
  const filter = Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true]));
  let failures = 0;
  for (let round = 0; !signal.aborted && client.transport; round++) {
    try {
      const subscription = await client.listen(filter);
      const startedMs = performance.now();
      if (round > 0) tellMissed(client, onMissed);
      await subscription.closed;
      if (performance.now() - startedMs >= SOUND_MS) failures = 0;
    } catch (thrown) {
      if (signal.aborted || !client.transport) return;
      note("changes of its lists cannot be listened to");
      if (isFinal(thrown)) return;
    }
    await systemClock.sleep(backoffMs(failures++, { maxMs: MAX_WAIT_MS }), signal).catch(() => {});
  }
}

/** Tells of every list that it may have changed. */
export function tellMissed(client: Client, onMissed: (method: string) => void): void {
  for (const list of changingLists(client)) onMissed(`notifications/${list}/list_changed`);
}

/** The lists whose changes the server says it tells. */
function changingLists(client: Client): readonly string[] {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  return Object.entries({ tools, prompts, resources }).flatMap(([list, can]) =>
    can?.listChanged ? [list] : [],
  );
}

/** It does not know what is asked of it, or wants a login first, which asking again would only ask for again. */
function isFinal(thrown: unknown): boolean {
  return (
    (thrown as { readonly code?: unknown }).code === RpcCode.METHOD_NOT_FOUND ||
    symptomsOf(thrown).status === 401
  );
}
