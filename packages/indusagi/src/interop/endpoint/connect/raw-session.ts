import type { Client } from "@modelcontextprotocol/client";
import { joinSignals, type Listeners, settlesWithin, systemClock } from "../../../core/index.ts";
import type { Redactor } from "../../../core/internal.ts";
import type { Caller, CallerAbilities } from "../../../runtime/index.ts";
import {
  isProtocolFault,
  type ProtocolEra,
  ProtocolFault,
  type ServerSession,
  type SessionNotification,
  type SessionRequestOptions,
} from "../../contract/index.ts";
import type { LaneRequest, RpcLane, TappedTransport } from "../../wire/index.ts";
import { askAgainAfterMs } from "../call/ask-again.ts";
import type { ActiveCall, QuestionRouter } from "../call/question-router.ts";
import { whileEntered } from "../call/while-entered.ts";
import { CLIENT_IDENTITY, clientCapabilities } from "./client-identity.ts";

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

type Params = { readonly [member: string]: unknown };

export interface RawRequestOptions extends SessionRequestOptions {
  readonly headers?: { readonly [name: string]: string };
  /** Without an answer or progress for this long, the request counts as late. */
  readonly lateMs?: number;
}

/** The parts of a session. */
export interface SessionParts {
  readonly server: string;
  readonly client: Client;
  readonly transport: TappedTransport;
  readonly lane: RpcLane;
  readonly questions: QuestionRouter;
  readonly listeners: Listeners<SessionNotification>;
  /** What we can answer for a request that has no caller. */
  readonly abilities: CallerAbilities;
  readonly redactor: Redactor;
  /** True if log messages of requests without a caller are wanted. */
  readonly wantsLogs: boolean;
  readonly callMs: number;
  readonly totalMs: number;
}

/** An open connection: what the SDK negotiated with the server, and our own request lane. */
export class RawSession implements ServerSession {
  readonly era: ProtocolEra;
  readonly protocolVersion: string;
  readonly serverInfo: ServerSession["serverInfo"];
  readonly capabilities: ServerSession["capabilities"];
  readonly instructions?: string;
  readonly lane: RpcLane;
  readonly server: string;
  /** Default limit for a whole call. */
  readonly totalMs: number;
  readonly #parts: SessionParts;
  #pending = 0;
  readonly #waitingForQuiet: (() => void)[] = [];
  readonly #over = new AbortController();

  constructor(parts: SessionParts) {
    const { client, lane, server, totalMs } = parts;
    this.#parts = parts;
    this.lane = lane;
    this.server = server;
    this.totalMs = totalMs;
    this.era = eraOf(client);
    this.protocolVersion = client.getNegotiatedProtocolVersion() ?? "";
    this.serverInfo = { ...client.getServerVersion() };
    this.capabilities = { ...client.getServerCapabilities() };
    const instructions = client.getInstructions();
    if (instructions !== undefined) this.instructions = instructions;
  }

  async request(method: string, params: Params = {}, options: RawRequestOptions = {}): Promise<unknown> {
    const { caller, signal } = options;
    if (!caller) return this.ask(method, params, options);
    // The server may ask a question before it answers.
    return whileEntered(this.enter({ caller, signal }), () => this.ask(method, params, options));
  }

  /**
   * Like `request`, for a call that has entered the question router already. Repeats a request that the server asked to
   * repeat later, until the deadline of the request. One function without helpers, because every call passes here.
   */
  async ask(method: string, params: Params, options: RawRequestOptions): Promise<unknown> {
    const { timeoutMs = this.#parts.callMs, totalMs = this.#parts.totalMs } = options;
    const { signal, headers, caller, onProgress, lateMs } = options;
    const startedMs = performance.now(); // A repeated request gets only the remaining time.
    const endsAtMs = startedMs + Math.min(timeoutMs, totalMs);
    const request: LaneRequest = {
      method,
      params: this.#enveloped(params, caller),
      timeoutMs,
      totalMs,
      startedMs,
      lateMs,
      signal,
      headers,
      caller,
      onProgress,
    };
    this.#pending += 1;
    try {
      for (let repeats = 0; ; repeats++) {
        try {
          return await this.lane.request(request);
        } catch (thrown) {
          const waitMs = askAgainAfterMs(thrown, { method, repeats });
          if (waitMs === undefined || performance.now() + waitMs >= endsAtMs)
            throw isProtocolFault(thrown) ? this.#parts.redactor.value(thrown) : thrown;
          await systemClock.sleep(waitMs, this.#whileOpen(signal));
        }
      }
    } finally {
      this.#pending -= 1;
      if (this.#pending === 0) for (const resolve of this.#waitingForQuiet.splice(0)) resolve();
    }
  }

  /** Resolves when no request is pending, or when the time is up. */
  async quiet(withinMs: number): Promise<void> {
    if (this.#pending === 0) return;
    await settlesWithin(new Promise<void>((resolve) => this.#waitingForQuiet.push(resolve)), withinMs);
  }

  notify(method: string, params?: Params): Promise<void> {
    return this.#parts.transport.send({ jsonrpc: "2.0", method, ...(params ? { params } : {}) });
  }

  onNotification(listener: (notification: SessionNotification) => void): () => void {
    return this.#parts.listeners.add(listener);
  }

  /** Registers a call with the question router. The returned function removes it; see there. */
  enter(call: ActiveCall): (isAnswered: boolean) => void {
    return this.#parts.questions.enter(call);
  }

  /** Aborts when the session is closed. */
  get whileOpen(): AbortSignal {
    return this.#over.signal;
  }

  async close(): Promise<void> {
    const { server, client, transport } = this.#parts;
    // Not `retrySafe`: pending requests have been sent.
    const fault = new ProtocolFault("not_connected", `server "${server}" is closed`, { server });
    this.lane.lose(fault);
    this.#over.abort(fault);
    await transport.endSession();
    await client.close().catch(() => {});
  }

  #whileOpen(signal: AbortSignal | undefined): AbortSignal {
    return joinSignals(signal, this.#over.signal);
  }

  /** In the modern era each request carries the client's identity, its capabilities and the revision. */
  #enveloped(params: Params, caller: Caller | undefined): Params {
    if (this.era === "legacy") return params;
    const can = caller?.can ?? this.#parts.abilities;
    // Without a level the server sends no log messages. A caller drops those that its client does not want.
    const wantsLogs = caller?.log !== undefined || this.#parts.wantsLogs;
    const logs =
      wantsLogs && this.capabilities["logging"] ? { [LOG_LEVEL]: caller?.logLevel ?? "debug" } : {};
    const envelope = {
      "io.modelcontextprotocol/protocolVersion": this.protocolVersion,
      "io.modelcontextprotocol/clientInfo": CLIENT_IDENTITY,
      "io.modelcontextprotocol/clientCapabilities": clientCapabilities(can),
    };
    return { ...params, _meta: { ...logs, ...(params["_meta"] as object | undefined), ...envelope } };
  }
}

export function eraOf(client: Client): ProtocolEra {
  return client.getProtocolEra() === "modern" ? "modern" : "legacy";
}
