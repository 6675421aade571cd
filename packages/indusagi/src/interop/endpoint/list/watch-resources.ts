import { backoffMs, systemClock, untilAborted } from "../../../core/index.ts";
import { MAX_TIMER_MS } from "../../../core/internal.ts";
import { isProtocolFault, ProtocolFault, type ServerSession } from "../../contract/index.ts";

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const MAX_WAIT_MS = 60_000;

export interface ResourceWatchOptions {
  /** Time limit of one change. */
  readonly timeoutMs: number;
  /** Called with each watched resource whose updates may have been missed. */
  readonly onMissed?: (uri: string) => void;
}

/** The resources that one connection watches. */
export interface ResourceWatch {
  readonly uris: ReadonlySet<string>;
  /** Rejects with a fault, for all of them if several are added at once. */
  add(...uris: readonly string[]): Promise<void>;
  remove(uri: string): Promise<void>;
}

/** Watches resources over one connection, using its era's method. */
export function createResourceWatch(session: ServerSession, options: ResourceWatchOptions): ResourceWatch {
  return session.era === "modern" ? new ListeningWatch(session, options) : legacyWatch(session, options);
}

function legacyWatch(session: ServerSession, { timeoutMs }: ResourceWatchOptions): ResourceWatch {
  const uris = new Set<string>();
  const times = { timeoutMs, totalMs: timeoutMs };
  return {
    uris,
    add: async (...added) => {
      const adding = added.map(async (uri) => {
        await session.request("resources/subscribe", { uri }, times);
        uris.add(uri);
      });
      await Promise.all(adding);
    },
    remove: async (uri) => {
      await session.request("resources/unsubscribe", { uri }, times);
      uris.delete(uri);
    },
  };
}

/**
 * Modern era: one open request covers all watched resources, and a new request replaces it when they change. The old
 * request is closed after the new one is acknowledged, so no update is missed between them. A request that the server
 * ends is opened again.
 */
class ListeningWatch implements ResourceWatch {
  readonly #session: ServerSession;
  readonly #options: ResourceWatchOptions;
  readonly uris = new Set<string>();
  #open: AbortController | undefined;
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(session: ServerSession, options: ResourceWatchOptions) {
    this.#session = session;
    this.#options = options;
  }

  add(...added: readonly string[]): Promise<void> {
    return this.#change(async () => {
      const all = new Set([...this.uris, ...added]);
      if (all.size === this.uris.size) return;
      await this.#listen([...all]);
      for (const uri of added) this.uris.add(uri);
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
      if (stream) await this.#openStream(uris, stream);
    } catch (thrown) {
      stream?.abort();
      throw thrown;
    }
    this.#open?.abort();
    this.#open = stream;
  }

  /** Resolves when the server acknowledges the subscription; the request itself stays open. */
  async #openStream(uris: readonly string[], stream: AbortController): Promise<void> {
    let stopListening = (): void => {};
    const acknowledged = new Promise<void>((resolve) => {
      stopListening = this.#session.onNotification(({ method, params }) => {
        if (method === ACKNOWLEDGED && isFor(params, uris)) resolve();
      });
    });
    const filter = { notifications: { resourceSubscriptions: uris } };
    // The request stays open until its connection ends.
    const times = { timeoutMs: MAX_TIMER_MS, totalMs: MAX_TIMER_MS };
    const listening = this.#session
      .request("subscriptions/listen", filter, { ...times, signal: stream.signal })
      .then(() => {
        throw new ProtocolFault("protocol", "the server ended the subscription instead of acknowledging it");
      });
    const patience = AbortSignal.timeout(this.#options.timeoutMs);
    try {
      await untilAborted(Promise.race([acknowledged, listening]), patience);
    } finally {
      stopListening();
      listening.catch((thrown: unknown) => this.#ended(stream, thrown));
    }
  }

  /** The server has ended a request that is still wanted; the end of the connection is handled elsewhere. */
  #ended(stream: AbortController, thrown: unknown): void {
    if (this.#open === stream && !isConnectionLost(thrown)) void this.#renew(stream);
  }

  async #renew(ended: AbortController): Promise<void> {
    for (let failures = 0; this.#open === ended; failures++) {
      const waitMs = backoffMs(failures, { maxMs: MAX_WAIT_MS });
      await systemClock.sleep(waitMs, ended.signal).catch(() => {});
      if (this.#open !== ended) return; // A change has opened another request meanwhile.
      try {
        await this.#change(() => this.#listen([...this.uris]));
        for (const uri of this.uris) this.#options.onMissed?.(uri);
      } catch (thrown) {
        if (isConnectionLost(thrown)) return;
      }
    }
  }
}

function isConnectionLost(thrown: unknown): boolean {
  return isProtocolFault(thrown) && (thrown.kind === "not_connected" || thrown.kind === "transport");
}

function isFor(params: { readonly [member: string]: unknown } | undefined, uris: readonly string[]): boolean {
  const { resourceSubscriptions: honoured } = (params?.["notifications"] ?? {}) as {
    readonly resourceSubscriptions?: unknown;
  };
  return Array.isArray(honoured) && uris.every((uri) => honoured.includes(uri));
}
