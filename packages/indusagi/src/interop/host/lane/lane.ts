import { CoreError } from "../../../core/index.ts";
import { InFlight } from "../../../core/internal.ts";
import type { RawResult, RpcMessage } from "../../contract/index.ts";
import { type CallParams, callTool, listTools } from "../offer/provide-tools.ts";
import type { HostConnection } from "../request/host-connection.ts";
import { offersTasks } from "../tasks/follows-tasks.ts";
import { answerTask } from "../tasks/provide-tasks.ts";
import { type Answer, errorAnswer, listAnswer, resultAnswer } from "./answer.ts";
import { LaneRequest, type LaneRequestParts, type RequestLine } from "./lane-request.ts";
import type { ModernClients } from "./modern-clients.ts";
import { isPlainLegacy, isPlainModern, type PlainRequest } from "./plain-request.ts";

/** How a lane reaches its client, and the SDK's server of the same connection. */
export interface LaneLink extends RequestLine {
  answer(answer: Answer): void;
  /** Gives a request to the SDK. */
  handOver(message: RpcMessage): void;
  /** The request has its answer, or needs none. */
  done(request: LaneRequest): void;
  report(message: string): void;
}

/**
 * Serves a plain request with the functions that serve one of the SDK, and sends its answer. What needs the SDK's judgement is handed
 * over: a result that asks the client something, and a list with schemas that legacy clients cannot use.
 */
export function serveOnLane(connection: HostConnection, request: LaneRequest, link: LaneLink): void {
  const { message } = request;
  /** Without an answer the request is handed over. */
  const end = (answer: () => Answer | undefined): void => {
    link.done(request);
    request.end();
    if (request.isAborted) return;
    try {
      const found = answer();
      if (found) link.answer(found);
      else link.handOver(message);
    } catch (thrown) {
      link.report(`Failed to send response: ${String(thrown)}`);
    }
  };
  const failed = (thrown: unknown): void => end(() => errorAnswer(request.id, thrown));
  try {
    if (message.method === "ping") end(() => resultAnswer(connection, request.id, {}));
    else if (message.method === "tools/list")
      listTools(connection, request).then(
        (listed) => end(() => listAnswer(connection, request.id, listed)),
        failed,
      );
    else if (message.method === "tasks/get")
      answerTask(connection, "tasks/get", message.params, request).then(
        (result) => end(() => resultAnswer(connection, request.id, result)),
        failed,
      );
    else
      callTool(connection, message.params as unknown as CallParams, request).then(
        (result) => end(() => callAnswer(connection, request.id, result)),
        failed,
      );
  } catch (thrown) {
    failed(thrown);
  }
}

/** Whether a host offers what a plain request asks for. Otherwise the SDK refuses it. */
export function isOffered(connection: HostConnection, method: string | undefined): boolean {
  return (
    connection.offersTools && (method !== "tasks/get" || offersTasks(connection.core, connection.providers))
  );
}

/** The SDK decides whether the client may be asked what the result asks. */
function callAnswer(connection: HostConnection, id: string | number, result: RawResult): Answer | undefined {
  if (result["resultType"] !== "input_required") return resultAnswer(connection, id, result);
  connection.settle(id, result);
  return undefined;
}

/** The plain requests of one connection. Everything else is the SDK's. */
export class Lane {
  readonly #connection: HostConnection;
  readonly #link: LaneLink;
  readonly #parts: LaneRequestParts;
  readonly #clients: ModernClients;
  readonly #running = new InFlight<unknown, LaneRequest>();
  /** The SDK has decided which era the connection has. */
  #isPinned: boolean;
  /** The SDK may still hold an earlier message. */
  #isBehind = false;

  constructor(connection: HostConnection, link: Omit<LaneLink, "done">, clients: ModernClients) {
    this.#connection = connection;
    this.#link = {
      answer: (answer) => link.answer(answer),
      notify: (message, id) => link.notify(message, id),
      handOver: (message) => link.handOver(message),
      report: (message) => link.report(message),
      done: (request) => {
        if (this.#running.get(request.id) === request) this.#running.delete(request.id);
      },
    };
    this.#parts = { connection, line: link };
    this.#clients = clients;
    this.#isPinned = connection.peer.era === "legacy";
    connection.onEnd = () => this.#end();
    this.#waitForSdk();
  }

  /** Serves a message if it is a plain request. False: it is for the SDK. */
  take(message: RpcMessage, closeSSE?: () => void): boolean {
    if (message.method === "notifications/cancelled") {
      this.#cancel(message);
      return false; // The request may run in the SDK.
    }
    const parts = isOffered(this.#connection, message.method) ? this.#partsFor(message) : undefined;
    const isNext = this.#isPinned && !this.#isBehind;
    if (!parts || !isNext) {
      // The SDK decides by the first modern request that is not a discovery.
      if (parts) this.#isPinned = true;
      this.#waitForSdk();
      return false;
    }
    const request = new LaneRequest(message as PlainRequest, parts, closeSSE);
    this.#running.set(request.id, request);
    serveOnLane(this.#connection, request, this.#link);
    return true;
  }

  #partsFor(message: RpcMessage): LaneRequestParts | undefined {
    if (this.#connection.peer.era === "legacy") return isPlainLegacy(message) ? this.#parts : undefined;
    const envelope = isPlainModern(message) ? this.#clients.read(message) : undefined;
    return envelope && { envelope, ...this.#parts };
  }

  /**
   * A message must not overtake one that was given to the SDK, such as a new log level. The SDK takes each message up within a few
   * microtasks.
   */
  #waitForSdk(): void {
    if (this.#isBehind) return;
    this.#isBehind = true;
    setImmediate(() => (this.#isBehind = false));
  }

  #cancel({ params }: RpcMessage): void {
    const reason = params?.["reason"];
    if (reason === undefined || typeof reason === "string")
      this.#running.get(params?.["requestId"])?.abort(reason);
  }

  #end(): void {
    const reason = new CoreError("disconnected", "Connection closed");
    for (const request of this.#running.values()) request.abort(reason);
  }
}
