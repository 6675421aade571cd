import { untilAborted } from "../../core/index.ts";
import { ProtocolFault, type ServerSession } from "../../interop/index.ts";
import { type RequestTimes, WHOLE_LIFE } from "./client-timeouts.ts";

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

/** The resources one connection watches. It ends with the connection. */
export interface ResourceWatch {
  add(uri: string): Promise<void>;
  remove(uri: string): Promise<void>;
}

/** Watches in the way of the session's era. */
export function createResourceWatch(session: ServerSession, times: RequestTimes): ResourceWatch {
  return session.era === "modern" ? new ListeningWatch(session, times) : legacyWatch(session, times);
}

function legacyWatch(session: ServerSession, times: RequestTimes): ResourceWatch {
  return {
    add: async (uri) => void (await session.request("resources/subscribe", { uri }, times)),
    remove: async (uri) => void (await session.request("resources/unsubscribe", { uri }, times)),
  };
}

/**
 * In the modern era one request stays open for all that is watched, and another takes its place when that changes.
 * The old one goes when the new one stands, so that nothing is missed between them.
 */
class ListeningWatch implements ResourceWatch {
  readonly #session: ServerSession;
  readonly #times: RequestTimes;
  readonly #uris = new Set<string>();
  #open: AbortController | undefined;
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(session: ServerSession, times: RequestTimes) {
    this.#session = session;
    this.#times = times;
  }

  add(uri: string): Promise<void> {
    return this.#change(async () => {
      if (this.#uris.has(uri)) return;
      await this.#listen([...this.#uris, uri]);
      this.#uris.add(uri);
    });
  }

  remove(uri: string): Promise<void> {
    return this.#change(async () => {
      if (!this.#uris.delete(uri)) return;
      await this.#listen([...this.#uris]);
    });
  }

  /** One after the other: each replaces what the one before has opened. */
  #change(step: () => Promise<void>): Promise<void> {
    const changed = this.#lastChange.then(step);
    this.#lastChange = changed.catch(() => {});
    return changed;
  }

  async #listen(uris: readonly string[]): Promise<void> {
    const stream = uris.length > 0 ? new AbortController() : undefined;
    try {
      if (stream) await this.#stand(uris, stream.signal);
    } catch (thrown) {
      stream?.abort();
      throw thrown;
    }
    this.#open?.abort();
    this.#open = stream;
  }

  /** Resolves when the server says that it will tell; the request itself stays open. */
  async #stand(uris: readonly string[], signal: AbortSignal): Promise<void> {
    let stopHearing = (): void => {};
    const acknowledged = new Promise<void>((resolve) => {
      stopHearing = this.#session.onNotification(({ method, params }) => {
        if (method === ACKNOWLEDGED && isFor(params, uris)) resolve();
      });
    });
    const filter = { notifications: { resourceSubscriptions: uris } };
    const listening = this.#session
      .request("subscriptions/listen", filter, { ...WHOLE_LIFE, signal })
      .then(() => {
        throw new ProtocolFault("protocol", "the server ended the subscription at once");
      });
    const patience = AbortSignal.timeout(this.#times.timeoutMs);
    try {
      await untilAborted(Promise.race([acknowledged, listening]), patience);
    } finally {
      stopHearing();
      listening.catch(() => {}); // Its end, whenever it comes, is the end of the connection or of the watch.
    }
  }
}

function isFor(params: { readonly [member: string]: unknown } | undefined, uris: readonly string[]): boolean {
  const { resourceSubscriptions: honoured } = (params?.["notifications"] ?? {}) as {
    readonly resourceSubscriptions?: unknown;
  };
  return Array.isArray(honoured) && uris.every((uri) => honoured.includes(uri));
}
