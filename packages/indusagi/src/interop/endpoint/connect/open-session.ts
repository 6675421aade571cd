import type { Client } from "@modelcontextprotocol/client";
import { Listeners } from "../../../core/index.ts";
import type { Redactor } from "../../../core/internal.ts";
import type { CallerAbilities, LogEntry } from "../../../runtime/index.ts";
import type {
  Audience,
  MessageTransport,
  ProtocolEra,
  ProtocolFault,
  QuestionAnswerer,
  RpcMessage,
  SessionNotification,
} from "../../contract/index.ts";
import { type CallTraffic, RpcLane, TappedTransport, TEXT_IDS, type WireWatch } from "../../wire/index.ts";
import { QuestionRouter } from "../call/question-router.ts";
import { LOG_METHOD, routeLog } from "../call/route-log.ts";
import { endsConnection, type FaultSite, faultAt } from "../faults/error-faults.ts";
import { httpStatusMeaning } from "../faults/http-statuses.ts";
import type { ProcessRemains } from "../faults/process-remains.ts";
import { symptomsOf } from "../faults/symptoms.ts";
import { listenForChanges, reportMissed } from "../list/listen-for-changes.ts";
import type { FollowOptions, NoticeStream } from "../list/notice-stream.ts";
import { CLIENT_IDENTITY, clientCapabilities } from "./client-identity.ts";
import { eraOf, RawSession } from "./raw-session.ts";

export interface OpenSessionOptions {
  readonly server: string;
  readonly transport: MessageTransport;
  readonly traffic: CallTraffic;
  /** Sees each message. */
  readonly watch?: WireWatch;
  /** Skip the probe and use this era. */
  readonly era?: ProtocolEra;
  readonly connectMs: number;
  readonly probeMs: number;
  readonly callMs: number;
  readonly totalMs: number;
  /** What is left of a server process, for the fault of a request that could not be written to it. */
  readonly remains: () => ProcessRemains;
  /** There is a session although the transport has no session id, as with the older HTTP transport. */
  readonly hasSession?: boolean;
  /** For servers that send notifications on a separate stream. */
  readonly notices?: Pick<FollowOptions, "reopen" | "waitMs"> & { readonly stream: NoticeStream };
  readonly answers?: QuestionAnswerer;
  readonly relays?: CallerAbilities;
  readonly redactor: Redactor;
  /** What the user does to log in to this server, if that is possible. */
  readonly loginHint?: string | undefined;
  /** Gets the log messages that belong to no caller. */
  readonly onLog?: (entry: LogEntry, audience: Audience) => void;
  /** True if log messages of requests without a caller are wanted. */
  readonly wantsLogs: boolean;
  /** The client that has this connection for itself. */
  readonly owner?: string;
  readonly signal: AbortSignal;
  /** Called when the connection is lost, with the fault if it is known. */
  readonly onLost: (fault?: ProtocolFault) => void;
  readonly note: (message: string) => void;
}

/**
 * Notifications that the SDK does not get. It would use them only for its own cache, and checks each against several schemas
 * first: with a server that sends thousands, that costs more than all the rest.
 */
const ONLY_OURS: ReadonlySet<string> = new Set([
  LOG_METHOD,
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
]);

/**
 * Connects. The SDK negotiates the era and performs the handshake; after that our requests use their own lane on the
 * same connection.
 */
export async function openSession(options: OpenSessionOptions): Promise<RawSession> {
  const { server, callMs, totalMs, redactor, onLog } = options;
  const abilities: CallerAbilities = { ...options.relays, ...options.answers?.can };
  const listeners = new Listeners<SessionNotification>();
  const questions = new QuestionRouter({
    note: options.note,
    reply: (message) => void options.transport.send(message).catch(() => {}),
    ...(options.answers ? { answers: options.answers } : {}),
    asker: { server, ...(options.owner === undefined ? {} : { owner: options.owner }) },
  });
  let lane: RpcLane | undefined;
  // Until the lane exists, answers go to the SDK for the handshake. A server may ask as soon as it is initialized, which is
  // before the lane exists.
  const tap = (message: RpcMessage): boolean => {
    options.traffic.arrived();
    if (lane?.accept(message)) return true;
    const shown = message.method === LOG_METHOD ? redactor.value(message) : message;
    emitNotification(listeners, shown);
    if (shown.method === LOG_METHOD) routeLog({ ...shown, method: LOG_METHOD }, { lane, questions, onLog });
    return questions.accept(message) || isOnlyOurs(message);
  };
  const transport = new TappedTransport(options.transport, tap, {
    watch: options.watch,
    onTextId: () => options.note(TEXT_IDS),
  });

  const client = await connectClient(transport, abilities, options);
  lane = openLane(transport, client, options);
  const session = new RawSession({
    server,
    client,
    transport,
    lane,
    questions,
    listeners,
    abilities,
    redactor,
    wantsLogs: options.wantsLogs,
    callMs,
    totalMs,
  });
  const { whileOpen: signal } = session;
  const onMissed = (method: string): void => emitNotification(listeners, { jsonrpc: "2.0", method });
  if (session.era === "modern") void listenForChanges({ client, onMissed, signal, note: options.note });
  else
    options.notices?.stream.follow({
      ...options.notices,
      onReopened: () => reportMissed(client, onMissed),
      signal,
    });
  return session;
}

async function connectClient(
  transport: TappedTransport,
  abilities: CallerAbilities,
  options: OpenSessionOptions,
): Promise<Client> {
  // Loading the SDK takes as long as the start of many a process, so the process starts first.
  if (transport.isProcess) await transport.startEarly();
  const { Client, SseError } = await import("@modelcontextprotocol/client");
  const client = new Client(CLIENT_IDENTITY, {
    capabilities: clientCapabilities(abilities, options.answers?.can.roots === true),
    versionNegotiation: {
      mode: options.era === "legacy" ? "legacy" : "auto",
      probe: { timeoutMs: options.probeMs, maxRetries: 0 },
    },
  });
  client.onclose = () => options.onLost();
  // Most errors here are advisory, such as late progress. The exception is a broken stream of the older HTTP
  // transport: it would reconnect to a session that was never initialized.
  client.onerror = (error) => {
    if (!SseError.isInstance(error)) return;
    // One microtask later: the event source sets its timer to reconnect after this callback, and only a later close
    // clears it.
    queueMicrotask(() => void transport.close().catch(() => {}));
  };
  await client.connect(transport as never, { timeout: options.connectMs, signal: options.signal });
  return client;
}

function openLane(
  transport: TappedTransport,
  client: Client,
  { server, traffic, redactor, onLost, ...rest }: OpenSessionOptions,
): RpcLane {
  return new RpcLane({
    server,
    traffic,
    cancelsByStream: eraOf(client) === "modern" && transport.hasPerRequestStream,
    hasStreams: transport.hasPerRequestStream,
    send: (message, options) => transport.send(message, options),
    translate: (thrown) => {
      const hasSession = rest.hasSession === true || transport.sessionId !== undefined;
      const details = rest.remains();
      const doing = details.exit ? "ended the connection" : answered(symptomsOf(thrown).status);
      const site: FaultSite = { server, kind: "transport", doing, hasSession, redactor, details };
      const fault = faultAt(site, thrown);
      // One microtask later, so that this request fails with its own, more precise fault first.
      if (endsConnection(fault)) queueMicrotask(() => onLost(fault));
      // The status of a server says what to do about it; the fault of one request has to say it itself.
      const way = fault.reason === "auth" ? wayIn(fault, rest.loginHint) : undefined;
      return way === undefined ? fault : faultAt({ ...site, end: `; ${way}` }, thrown);
    },
  });
}

/** What failed, by the HTTP status if there was an answer. */
function answered(status: number | undefined): string {
  if (status === undefined) return "could not be reached";
  return status < 500 ? "refused the request" : "could not answer the request";
}

/** What the user does about a request that was refused for want of rights. */
function wayIn({ details: { login, status = 401 } }: ProtocolFault, hint: string | undefined): string {
  if (login !== undefined) return login;
  if (status === 403 && hint !== undefined) return `ask for the right to use it, or ${hint}`;
  return httpStatusMeaning(status).remedy;
}

function isOnlyOurs({ id, method }: RpcMessage): boolean {
  return id === undefined && method !== undefined && ONLY_OURS.has(method);
}

function emitNotification(listeners: Listeners<SessionNotification>, message: RpcMessage): void {
  const { id, method, params } = message;
  if (method === undefined || id !== undefined) return;
  listeners.emit(params ? { method, params } : { method });
}
