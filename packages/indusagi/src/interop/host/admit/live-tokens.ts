import { describeError, settlesWithin } from "../../../core/index.ts";
import type { TokenRefusal, VerifiedToken } from "./bearer.ts";
import type { Refusal } from "./refusal.ts";

/** The clock is checked at least this often, because it may be set forward. */
const MAX_LOOK_MS = 30_000;

/** A token in use by a stream, a session or a running call. */
export interface LiveToken {
  /** Aborts when the token has expired or was revoked. The reason is a `Refusal`. */
  readonly ended: AbortSignal;
  /** Keeps following the token until the returned function is called. */
  hold(): () => void;
}

export interface LiveTokensOptions {
  /** Whether a token is still valid. */
  readonly recheck: ((token: string) => Promise<boolean> | boolean) | undefined;
  readonly recheckMs: number;
  readonly refusalOf: (why: TokenRefusal) => Refusal;
  readonly report: (message: string) => void;
}

/** The tokens in use, each followed until it ends or nothing uses it any more. */
export class LiveTokens {
  readonly #options: LiveTokensOptions;
  readonly #tokens = new Map<string, FollowedToken>();

  constructor(options: LiveTokensOptions) {
    this.#options = options;
  }

  /** Follows a token that was just verified. `undefined` if it cannot end. The caller must hold it at once. */
  follow(secret: string, { expiresAt }: VerifiedToken): LiveToken | undefined {
    if (expiresAt === undefined && !this.#options.recheck) return undefined;
    const token = this.#tokens.get(secret) ?? this.#newToken(secret);
    token.expireAt(expiresAt);
    this.#tokens.set(secret, token);
    return token;
  }

  #newToken(secret: string): FollowedToken {
    const token: FollowedToken = new FollowedToken(secret, this.#options, () => {
      if (this.#tokens.get(secret) === token) this.#tokens.delete(secret);
    });
    return token;
  }
}

class FollowedToken implements LiveToken {
  /** Seconds since the epoch. */
  #expiresAt: number | undefined;
  readonly #secret: string;
  readonly #options: LiveTokensOptions;
  readonly #forget: () => void;
  readonly #end = new AbortController();
  #holds = 0;
  #timer: NodeJS.Timeout | undefined;
  #checkedMs = 0;

  constructor(secret: string, options: LiveTokensOptions, forget: () => void) {
    this.#secret = secret;
    this.#options = options;
    this.#forget = forget;
  }

  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /** The verifier may give the same token another expiry later. */
  expireAt(seconds: number | undefined): void {
    if (seconds === this.#expiresAt) return;
    this.#expiresAt = seconds;
    if (this.#holds > 0) this.#lookLater();
  }

  hold(): () => void {
    this.#holds += 1;
    if (this.#holds === 1) {
      this.#checkedMs = performance.now(); // It was verified just now.
      this.#lookLater();
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      if (this.#holds === 0) this.#stop();
    };
  }

  #lookLater(): void {
    const { recheck, recheckMs } = this.#options;
    const waits = [
      MAX_LOOK_MS,
      ...(this.#expiresAt === undefined ? [] : [this.#expiresAt * 1000 - Date.now()]),
      ...(recheck ? [this.#checkedMs + recheckMs - performance.now()] : []),
    ];
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), Math.max(1, Math.ceil(Math.min(...waits)))).unref();
  }

  async #look(): Promise<void> {
    if (this.#expiresAt !== undefined && this.#expiresAt * 1000 <= Date.now())
      return this.#over("expired_token");
    const { recheck, recheckMs } = this.#options;
    if (recheck && performance.now() >= this.#checkedMs + recheckMs) {
      const isValid = await this.#isStillValid(recheck);
      this.#checkedMs = performance.now();
      if (!isValid) return this.#over("revoked_token");
    }
    if (this.#holds > 0) this.#lookLater();
  }

  /** A check that fails or takes too long counts as a refusal: a client with a valid token can reconnect at once. */
  async #isStillValid(recheck: NonNullable<LiveTokensOptions["recheck"]>): Promise<boolean> {
    let isValid = false;
    const checking = (async () => {
      isValid = await recheck(this.#secret);
    })().catch((thrown: unknown) =>
      this.#options.report(`a token could not be checked again: ${describeError(thrown)}`),
    );
    await settlesWithin(checking, this.#options.recheckMs);
    return isValid;
  }

  #over(why: TokenRefusal): void {
    if (this.#holds === 0) return;
    this.#stop();
    this.#end.abort(this.#options.refusalOf(why));
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#forget();
  }
}
