import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { onAbort } from "../../../core/index.ts";
import type { LiveToken } from "../admit/live-tokens.ts";
import type { Refusal } from "../admit/refusal.ts";
import { tokenError } from "./end-with-token.ts";
import type { SessionExtra, SessionTransport } from "./session-transport.ts";

type RequestId = string | number;

/**
 * The tokens with which a legacy session is used, and the requests that run under each. When a token ends, its requests
 * are answered with an error and cancelled; a session whose last token has ended is over.
 */
export class SessionTokens {
  readonly #transport: SessionTransport;
  readonly #onAllEnded: (answered: Promise<unknown>) => void;
  /** How to stop following each token. */
  readonly #tokens = new Map<LiveToken, () => void>();
  readonly #running = new Map<RequestId, LiveToken>();
  /** Those whose call was given to its tool. */
  readonly #given = new Set<RequestId>();

  /** `onAllEnded` gets a promise that settles when the errors have been sent. */
  constructor(transport: SessionTransport, onAllEnded: (answered: Promise<unknown>) => void) {
    this.#transport = transport;
    this.#onAllEnded = onAllEnded;
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      const { live: token }: SessionExtra = extra ?? {};
      if (token && "method" in message && "id" in message) this.#running.set(message.id, token);
      onmessage?.(message, extra);
    };
    transport.onanswer = (id) => {
      this.#running.delete(id);
      this.#given.delete(id);
    };
  }

  /** A request of this session comes with this token. */
  use(token: LiveToken): void {
    if (this.#tokens.has(token)) return;
    const release = token.hold();
    const stop = onAbort(token.ended, (refusal) => this.#end(token, refusal as Refusal));
    this.#tokens.set(token, () => (stop(), release()));
  }

  /** The call of this request is given to its tool. */
  give(id: RequestId): void {
    if (this.#running.has(id)) this.#given.add(id);
  }

  /** Stops following the tokens. */
  close(): void {
    for (const leave of this.#tokens.values()) leave();
    this.#tokens.clear();
  }

  #end(token: LiveToken, refusal: Refusal): void {
    const requests = [...this.#running].flatMap(([id, own]) => (own === token ? [id] : []));
    const answered = Promise.allSettled(
      requests.map((id) =>
        this.#transport.send(tokenError(id, refusal, this.#given.has(id)) as JSONRPCMessage),
      ),
    );
    // The error above is the answer; this aborts the tool.
    for (const requestId of requests)
      this.#transport.onmessage?.({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId, reason: refusal.message },
      });
    this.#tokens.get(token)?.();
    this.#tokens.delete(token);
    if (this.#tokens.size === 0) this.#onAllEnded(answered);
  }
}
