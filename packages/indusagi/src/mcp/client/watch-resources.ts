import { untilAborted } from "../../core/index.ts";
import { ProtocolFault, type ServerSession } from "../../interop/index.ts";
import { type RequestTimes, WHOLE_LIFE } from "./client-timeouts.ts";

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

/** The resources that one connection watches. */
export interface ResourceWatch {
  readonly uris: ReadonlySet<string>;
  add(uri: string): Promise<void>;
  remove(uri: string): Promise<void>;
}

export function createResourceWatch(session: ServerSession, times: RequestTimes): ResourceWatch {
  return session.era === "modern" ? new ListeningWatch(session, times) : legacyWatch(session, times);
}

function legacyWatch(session: ServerSession, times: RequestTimes): ResourceWatch {
  const uris = new Set<string>();
  return {
    uris,
    add: async (uri) => {
      await session.request("resources/subscribe", { uri }, times);
      uris.add(uri);
    },
    remove: async (uri) => {
      await session.request("resources/unsubscribe", { uri }, times);
      uris.delete(uri);
    },
  };
}

/**
 * Modern era: one open request covers all watched resources, and a new request replaces it when they change. The old
 * request is closed after the new one is acknowledged, so no update is missed between them.
 */
class ListeningWatch implements ResourceWatch {
  readonly #session: ServerSession;
  readonly #times: RequestTimes;
  readonly uris = new Set<string>();
  #open: AbortController | undefined;
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(session: ServerSession, times: RequestTimes) {
    this.#session = session;
    this.#times = times;
  }

  add(uri: string): Promise<void> {
    return this.#change(async () => {
      if (this.uris.has(uri)) return;
      await this.#listen([...this.uris, uri]);
      this.uris.add(uri);
    });
  }

  remove(uri: string): Promise<void> {
    return this.#change(async () => {
      if (!this.uris.delete(uri)) return;
      await this.#listen([...this.uris]);
    });
  }

  /** Changes run one after the other, because each replaces the request of the previous one. */
  #change(step: () => Promise<void>): Promise<void> {
    const changed = this.#lastChange.then(step);
    this.#lastChange = changed.catch(() => {});
    return changed;
  }

  async #listen(uris: readonly string[]): Promise<void> {
    const stream = uris.length > 0 ? new AbortController() : undefined;
    try {
      if (stream) await this.#openStream(uris, stream.signal);
    } catch (thrown) {
      stream?.abort();
      throw thrown;
    }
    this.#open?.abort();
    this.#open = stream;
  }

  /** Resolves when the server acknowledges the subscription; the request itself stays open. */
  async #openStream(uris: readonly string[], signal: AbortSignal): Promise<void> {
    let stopListening = (): void => {};
    const acknowledged = new Promise<void>((resolve) => {
      stopListening = this.#session.onNotification(({ method, params }) => {
        if (method === ACKNOWLEDGED && isFor(params, uris)) resolve();
      });
    });
    const filter = { notifications: { resourceSubscriptions: uris } };
    const listening = this.#session
      .request("subscriptions/listen", filter, { ...WHOLE_LIFE, signal })
      .then(() => {
        throw new ProtocolFault("protocol", "the server ended the subscription instead of acknowledging it");
      });
    const patience = AbortSignal.timeout(this.#times.timeoutMs);
    try {
      await untilAborted(Promise.race([acknowledged, listening]), patience);
    } finally {
      stopListening();
      listening.catch(() => {}); // It ends with the connection or the watch, which is not an error.
    }
  }
}

function isFor(params: { readonly [member: string]: unknown } | undefined, uris: readonly string[]): boolean {
  const { resourceSubscriptions: honoured } = (params?.["notifications"] ?? {}) as {
    readonly resourceSubscriptions?: unknown;
  };
  return Array.isArray(honoured) && uris.every((uri) => honoured.includes(uri));
}
