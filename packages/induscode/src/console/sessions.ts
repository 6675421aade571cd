import { CONSOLE_LIMITS } from "./contract.ts";
import { hashOf, newSecret } from "./links.ts";

/** Someone who looks at the console. */
export interface ConsoleSession {
  readonly origin: "local" | "remote";
  /** The token that opened it, for a remote one. */
  readonly token?: string | undefined;
  /** Its open streams and tries keep it alive. */
  busy: number;
  lastSeenMs: number;
}

interface RemoteLink {
  readonly token: string;
  readonly untilMs: number;
}

/** The sessions and the remote links of one console. Kept in memory only, as hashes: they end with the process. */
export class ConsoleSessions {
  readonly #sessions = new Map<string, ConsoleSession>();
  readonly #links = new Map<string, RemoteLink>();
  readonly #isLive: (token: string) => boolean;

  /** `isLive`: whether a token may still open the console. */
  constructor(isLive: (token: string) => boolean) {
    this.#isLive = isLive;
  }

  /** A link for the holder of a token. */
  link(token: string): string {
    for (const [hash, { untilMs }] of this.#links) if (untilMs < Date.now()) this.#links.delete(hash);
    const [oldest] = this.#links.keys();
    if (this.#links.size >= CONSOLE_LIMITS.sessions && oldest !== undefined) this.#links.delete(oldest);
    const code = newSecret();
    this.#links.set(hashOf(code), { token, untilMs: Date.now() + CONSOLE_LIMITS.linkMs });
    return code;
  }

  /** Uses a remote link up, and returns its token. */
  take(code: string): string | undefined {
    const hash = hashOf(code);
    const found = this.#links.get(hash);
    this.#links.delete(hash);
    return found && found.untilMs > Date.now() && this.#isLive(found.token) ? found.token : undefined;
  }

  /** Opens a session and returns its key; undefined if there are too many. */
  open(origin: ConsoleSession["origin"], token?: string): string | undefined {
    this.#sweep();
    if (this.#sessions.size >= CONSOLE_LIMITS.sessions && !this.#endIdlest()) return undefined;
    const key = newSecret();
    this.#sessions.set(hashOf(key), { origin, token, busy: 0, lastSeenMs: Date.now() });
    return key;
  }

  find(key: string): ConsoleSession | undefined {
    this.#sweep();
    const session = this.#sessions.get(hashOf(key));
    if (!session) return undefined;
    if (!this.isOpen(session)) {
      this.end(key);
      return undefined;
    }
    session.lastSeenMs = Date.now();
    return session;
  }

  /** Whether a session that was found may still go on: its token may have been revoked meanwhile. */
  isOpen(session: ConsoleSession): boolean {
    return session.token === undefined || this.#isLive(session.token);
  }

  /** Whether a session is in use, or was within this time. */
  isUsed(withinMs: number): boolean {
    const since = Date.now() - withinMs;
    return [...this.#sessions.values()].some(({ busy, lastSeenMs }) => busy > 0 || lastSeenMs >= since);
  }

  end(key: string): void {
    this.#sessions.delete(hashOf(key));
  }

  #sweep(): void {
    const longAgo = Date.now() - CONSOLE_LIMITS.sessionIdleMs;
    for (const [hash, { busy, lastSeenMs }] of this.#sessions)
      if (busy === 0 && lastSeenMs < longAgo) this.#sessions.delete(hash);
  }

  /** Most tabs are closed without ending their session. */
  #endIdlest(): boolean {
    const idle = [...this.#sessions].filter(([, { busy }]) => busy === 0);
    const [first] = idle.toSorted(([, a], [, b]) => a.lastSeenMs - b.lastSeenMs);
    return first !== undefined && this.#sessions.delete(first[0]);
  }
}
