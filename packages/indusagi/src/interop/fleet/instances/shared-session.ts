import type { LogLevel } from "../../../runtime/index.ts";
import { logLevelOf, mostVerboseLevel } from "../../../runtime/internal.ts";
import type { ServerSession, SessionNotification, SessionRequestOptions } from "../../contract/index.ts";

type Params = { readonly [member: string]: unknown };

/** For what is unsubscribed on behalf of one who has left. */
const LEAVE_MS = 5_000;
const UPDATED = "notifications/resources/updated";

/** What the users of one connection asked for outside of calls, so that none changes it for another. */
export class SessionWishes<User> {
  readonly #levels = new Map<User, LogLevel>();
  /** The watched resources, and who watches them. */
  readonly #watchers = new Map<string, Set<User>>();
  /** The open requests of the modern era: one user may have two while one replaces the other. */
  readonly #listening = new Set<{ readonly user: User; readonly uris: readonly string[] }>();
  #level: LogLevel | undefined;
  #lastChange: Promise<unknown> = Promise.resolve();

  /** Sets the most verbose of the levels that users want: each drops what it does not want. */
  async setLevel(
    session: ServerSession,
    user: User,
    params: Params,
    options?: SessionRequestOptions,
  ): Promise<unknown> {
    this.#levels.set(user, logLevelOf(params["level"]));
    const level = mostVerboseLevel([...this.#levels.values()]);
    if (level === undefined || level === this.#level) return {};
    this.#level = level;
    return session.request("logging/setLevel", { ...params, level }, options);
  }

  /** Subscribes for the first watcher of a resource, and ends that with the last one. One change at a time: they must not overtake each other. */
  watch(
    session: ServerSession,
    user: User,
    params: Params,
    options?: SessionRequestOptions,
  ): Promise<unknown> {
    const uri = String(params["uri"]);
    return this.#change(async () => {
      const watchers = this.#watchers.get(uri) ?? new Set();
      if (watchers.size > 0) {
        watchers.add(user);
        return {};
      }
      const answer = await session.request("resources/subscribe", params, options);
      this.#watchers.set(uri, watchers.add(user));
      return answer;
    });
  }

  unwatch(
    session: ServerSession,
    user: User,
    params: Params,
    options?: SessionRequestOptions,
  ): Promise<unknown> {
    const uri = String(params["uri"]);
    return this.#change(async () => {
      const watchers = this.#watchers.get(uri);
      if (!watchers?.delete(user) || watchers.size > 0) return {};
      this.#watchers.delete(uri);
      return session.request("resources/unsubscribe", params, options);
    });
  }

  /** Notes what a request of the modern era listens to, for as long as it is open. Returns a function that ends that. */
  listen(user: User, params: Params): () => void {
    const { resourceSubscriptions: uris } = (params["notifications"] ?? {}) as Params;
    const listening = { user, uris: Array.isArray(uris) ? uris.map(String) : [] };
    this.#listening.add(listening);
    return () => void this.#listening.delete(listening);
  }

  /** Whether a user may see a notification: an update is for those who watch the resource, or the one it belongs to. */
  isFor(user: User, { method, params }: SessionNotification): boolean {
    if (method !== UPDATED) return true;
    const uri = String(params?.["uri"]);
    const watches = [
      ...[...this.#watchers].flatMap(([watched, users]) => [...users].map((by) => ({ by, watched }))),
      ...[...this.#listening].flatMap((each) => each.uris.map((watched) => ({ by: each.user, watched }))),
    ];
    const exact = watches.filter(({ watched }) => watched === uri);
    const meant = exact.length > 0 ? exact : watches.filter(({ watched }) => uri.startsWith(watched));
    return meant.some(({ by }) => by === user);
  }

  /** The user has left. */
  async leave(session: ServerSession | undefined, user: User): Promise<void> {
    this.#levels.delete(user);
    const watched = [...this.#watchers].flatMap(([uri, users]) => (users.has(user) ? [uri] : []));
    for (const uri of watched)
      if (session) await this.unwatch(session, user, { uri }, { timeoutMs: LEAVE_MS }).catch(() => {});
    for (const each of this.#listening) if (each.user === user) this.#listening.delete(each);
  }

  #change(step: () => Promise<unknown>): Promise<unknown> {
    const changed = this.#lastChange.then(step);
    this.#lastChange = changed.catch(() => {});
    return changed;
  }
}

export interface SharedSessionOptions<User> {
  readonly user: User;
  readonly session: ServerSession;
  readonly wishes: SessionWishes<User>;
  /** Runs what sends a request, so that the log knows whose it is. */
  readonly as: <Result>(send: () => Result) => Result;
  /** Whether nobody else uses the connection: then everything that arrives is for this user. */
  readonly isAlone: () => boolean;
}

/** A connection as one of its users sees it. */
export function sharedSession<User>(options: SharedSessionOptions<User>): ServerSession {
  const { user, session, wishes, as, isAlone } = options;
  const { era, protocolVersion, serverInfo, capabilities, instructions } = session;
  return {
    ...{ era, protocolVersion, serverInfo, capabilities },
    ...(instructions === undefined ? {} : { instructions }),
    request: async (method, params = {}, given) => {
      if (method === "logging/setLevel") return wishes.setLevel(session, user, params, given);
      if (method === "resources/subscribe") return wishes.watch(session, user, params, given);
      if (method === "resources/unsubscribe") return wishes.unwatch(session, user, params, given);
      const stop = method === "subscriptions/listen" ? wishes.listen(user, params) : undefined;
      try {
        return await as(() => session.request(method, params, given));
      } finally {
        stop?.();
      }
    },
    notify: (method, params) => as(() => session.notify(method, params)),
    onNotification: (listener) =>
      session.onNotification((notification) => {
        if (isAlone() || wishes.isFor(user, notification)) listener(notification);
      }),
  };
}
