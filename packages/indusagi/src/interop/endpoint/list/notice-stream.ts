import { backoffMs, systemClock } from "../../../core/index.ts";
import { onStreamEnd } from "../../../core/internal.ts";
import { withBody } from "../connect/bounded-fetch.ts";
import { symptomsOf } from "../faults/error-faults.ts";

const MAX_WAIT_MS = 60_000;
/** There is no such stream, one stands already, or asking again would only ask for a login again. */
const FINAL_STATUSES: readonly (number | undefined)[] = [401, 403, 404, 405, 409];

export interface FollowOptions {
  /** Opens the stream once more. */
  readonly reopen: () => Promise<void>;
  /** Hears that it stands again: what was told meanwhile is lost. */
  readonly onReopened: () => void;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** How long whoever opened it is given to do so again. */
  readonly waitMs: number;
}

/**
 * The stream on which a session of the legacy era tells over HTTP what has changed. The SDK opens it and dials again
 * when it is cut, but twice only and without a word, so it is watched here.
 */
export class NoticeStream {
  #following: FollowOptions | undefined;
  #opened = 0;
  #standing = 0;
  /** It was asked for, and is not there. */
  #isDown = false;
  #isReopening = false;

  /** A `fetch` that sees it come and go. */
  watch(fetching: typeof fetch): typeof fetch {
    return async (input, init) => {
      if (!asksForStream(init)) return fetching(input, init);
      const response = await fetching(input, init).catch((thrown: unknown) => {
        this.#down();
        throw thrown;
      });
      if (!response.ok || !response.body) {
        if (!FINAL_STATUSES.includes(response.status)) this.#down();
        return response;
      }
      this.#up();
      return withBody(
        response,
        onStreamEnd(response.body, () => this.#ended()),
      );
    };
  }

  /** From now on it is kept open. */
  follow(options: FollowOptions): void {
    this.#following = options;
    if (this.#isDown) void this.#reopen(options);
  }

  #up(): void {
    this.#opened += 1;
    this.#standing += 1;
    this.#isDown = false;
    if (this.#opened > 1) this.#following?.onReopened();
  }

  #ended(): void {
    this.#standing -= 1;
    if (this.#standing === 0) this.#down();
  }

  #down(): void {
    this.#isDown = this.#standing === 0;
    if (this.#following) void this.#reopen(this.#following);
  }

  async #reopen({ reopen, signal, waitMs }: FollowOptions): Promise<void> {
    if (this.#isReopening) return;
    this.#isReopening = true;
    for (let failures = 0; this.#isDown && !signal.aborted; failures++) {
      await systemClock
        .sleep(backoffMs(failures, { baseMs: waitMs, maxMs: MAX_WAIT_MS }), signal)
        .catch(() => {});
      if (!this.#isDown || signal.aborted) break;
      const status = await reopen().then(
        () => undefined,
        (thrown: unknown) => symptomsOf(thrown).status,
      );
      if (status !== undefined && FINAL_STATUSES.includes(status)) break;
    }
    this.#isReopening = false;
  }
}

function asksForStream(init: RequestInit | undefined): boolean {
  if (init?.method !== "GET") return false;
  return new Headers(init.headers).get("accept")?.includes("text/event-stream") === true;
}
