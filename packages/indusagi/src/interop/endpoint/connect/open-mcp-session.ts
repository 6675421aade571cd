import { callListener, Listeners } from "../../../core/index.ts";
import { definedMembers } from "../../../core/internal.ts";
import type { Caller, CallerAbilities, LogEntry } from "../../../runtime/index.ts";
import { logLevelOf } from "../../../runtime/internal.ts";
import {
  type Audience,
  type LinkedCaller,
  LinkKey,
  LOG_METHOD,
  type MessageTransport,
  MetaKey,
  messageFromLink,
  type ProtocolEra,
  type ProtocolFault,
  type RpcMessage,
  type SessionNotification,
} from "../../contract/index.ts";
import { type LaneOptions, RpcLane, TappedTransport, TEXT_IDS, type WireWatch } from "../../wire/index.ts";
import { QuestionRouter } from "../call/question-router.ts";
import type { ConnectionContext } from "../connection-context.ts";
import { endsConnection, type FaultSite, faultAt } from "../faults/error-faults.ts";
import { httpStatusMeaning } from "../faults/http-statuses.ts";
import type { ProcessRemains } from "../faults/process-remains.ts";
import { symptomsOf } from "../faults/symptoms.ts";
import { listenForChanges, reportMissed } from "../list/listen-for-changes.ts";
import type { NoticeStream, NoticeStreamOptions } from "../list/notice-stream.ts";
import { CLIENT_IDENTITY, clientCapabilities } from "./client-identity.ts";
import { type Peer, shakeHands } from "./handshake.ts";
import { RawSession } from "./raw-session.ts";
import { shakeHandsBySdk } from "./sdk-handshake.ts";

/** How long an unknown server process may take to answer `server/discover`. */
const PROBE_MS = 3000;
/** For comparisons: lets the SDK shake hands with processes too. */
const USES_SDK = process.env["INDUS_HANDSHAKE"] === "sdk";

/** The transport of an attempt, and what is known about it. */
export interface ChosenTransport {
  readonly transport: MessageTransport;
  /** Skip the probe and use this era. */
  readonly era: ProtocolEra | undefined;
  /** There is a session although the transport has no session id, as with the older HTTP transport. */
  readonly hasSession?: boolean;
  /** For servers that send notifications on a separate stream. */
  readonly notices?: Pick<NoticeStreamOptions, "reopen" | "waitMs"> & { readonly stream: NoticeStream };
}

/** What an attempt watches during and after connecting. */
interface AttemptWatch {
  /** Aborts when connecting takes too long. */
  readonly signal: AbortSignal;
  /** Gets each message. */
  readonly watch: WireWatch | undefined;
  /** What is left of a server process, for the fault of a request that could not be written to it. */
  readonly remains: () => ProcessRemains;
  /** Called when the connection is lost, with the fault if it is known. */
  readonly onLost: (fault?: ProtocolFault) => void;
}

/**
 * Notifications that are hidden from the SDK. It would use them only for its own cache, after checking each against several
 * schemas: with a server that sends thousands, that costs more than everything else.
 */
const ONLY_OURS: ReadonlySet<string> = new Set([
  LOG_METHOD,
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
  "notifications/tasks",
]);

/**
 * Connects. With a process we shake hands ourselves; over HTTP the SDK does. After that our requests use their own lane on the
 * same connection.
 */
export async function openMcpSession(
  context: ConnectionContext,
  chosen: ChosenTransport,
  attempt: AttemptWatch,
): Promise<RawSession> {
  const { server, options, redactor, traffic, note } = context;
  const { answers, relays, owner, onLog } = options;
  const abilities: CallerAbilities = { ...relays, ...answers?.can };
  const listeners = new Listeners<SessionNotification>();
  const questions = new QuestionRouter({
    note,
    answers,
    reply: (message) => void chosen.transport.send(message).catch(() => {}),
    asker: definedMembers({ server, owner }),
  });
  const onServerLog: LogRoute["onLog"] = onLog && ((entry, audience) => onLog(server, entry, audience));
  let lane: RpcLane | undefined;
  // Until the lane exists, answers belong to the handshake. A server may ask questions as soon as it is initialized,
  // which is before the lane exists.
  const tap = (received: RpcMessage): boolean => {
    traffic.arrived();
    const message = options.link ? messageFromLink(received) : received;
    if (lane?.accept(message)) return true;
    const shown = message.method === LOG_METHOD ? redactor.value(message) : message;
    emitNotification(listeners, shown);
    if (shown.method === LOG_METHOD)
      routeLog({ ...shown, method: LOG_METHOD }, { lane, questions, onLog: onServerLog });
    return questions.accept(message) || isOnlyOurs(message);
  };
  const transport = new TappedTransport(chosen.transport, tap, {
    watch: attempt.watch,
    onTextId: () => note(TEXT_IDS),
  });

  const peer = await shakeHandsWith(context, chosen, attempt, { transport, abilities });
  const meta = peer.era === "modern" ? modernMeta(context, peer, abilities) : undefined;
  lane = openLane(context, chosen, attempt, { transport, peer, meta });
  transport.keepFor(lane);
  const session = new RawSession(context, { peer, transport, lane, questions, listeners });
  const { whileOpen: signal } = session;
  const onMissed = (method: string): void => emitNotification(listeners, { jsonrpc: "2.0", method });
  if (session.era === "modern")
    void listenForChanges({
      peer,
      onMissed,
      signal,
      note,
      onListening: (is) => (session.isListening = is),
    });
  else
    chosen.notices?.stream.follow({
      ...chosen.notices,
      onReopened: () => reportMissed(peer, onMissed),
      signal,
    });
  return session;
}

/** Silence of a process means a legacy server; silence of a network only that it is slow. */
function shakeHandsWith(
  { options, config, timeouts: { connectMs } }: ConnectionContext,
  { era }: ChosenTransport,
  { signal, onLost }: AttemptWatch,
  { transport, abilities }: { readonly transport: TappedTransport; readonly abilities: CallerAbilities },
): Promise<Peer> {
  const shake = transport.isProcess && !USES_SDK ? shakeHands : shakeHandsBySdk;
  return shake({
    transport,
    identity: options.identity ?? CLIENT_IDENTITY,
    capabilities: clientCapabilities(abilities, options.answers?.can.roots === true),
    era,
    probeMs: config.kind === "stdio" ? Math.min(options.probeMs ?? PROBE_MS, connectMs) : connectMs,
    connectMs,
    signal,
    onClosed: () => onLost(),
  });
}

type MakeMeta = NonNullable<LaneOptions["meta"]>;

/** In the modern era each request carries the client's identity, its capabilities and the revision. */
function modernMeta({ options }: ConnectionContext, peer: Peer, abilities: CallerAbilities): MakeMeta {
  const {
    protocolVersion,
    capabilities: { logging },
  } = peer;
  const { onLog, wantsLogs = onLog !== undefined, identity = CLIENT_IDENTITY } = options;
  // A request of our own gets what a client without extensions gets.
  const { extensions: _, ...own } = abilities;
  return (given, caller, declared) => ({
    // Without a level the server sends no log messages. Callers drop those that their client does not want.
    ...(logging !== undefined &&
      (wantsLogs || caller?.log) && { [MetaKey.LOG_LEVEL]: caller?.logLevel ?? "debug" }),
    ...given,
    [MetaKey.PROTOCOL_VERSION]: protocolVersion,
    [MetaKey.CLIENT_INFO]: identity,
    [MetaKey.CLIENT_CAPABILITIES]: clientCapabilities(
      caller?.can ?? (declared ? { ...own, extensions: declared } : own),
    ),
    // Last: what a client itself sends under this key means nothing.
    ...(options.link && { [LinkKey.CALLER]: caller && linkedCaller(caller) }),
  });
}

function linkedCaller({ key, principal, isSingle }: Caller): LinkedCaller {
  return { key, ...(principal === undefined ? {} : { principal }), ...(isSingle && { isSingle }) };
}

interface LaneParts {
  readonly transport: TappedTransport;
  readonly peer: Peer;
  readonly meta: MakeMeta | undefined;
}

function openLane(
  { server, options, traffic, redactor }: ConnectionContext,
  chosen: ChosenTransport,
  { remains, onLost }: AttemptWatch,
  { transport, peer, meta }: LaneParts,
): RpcLane {
  return new RpcLane({
    server,
    transport,
    traffic,
    meta,
    cancelsByStream: peer.era === "modern" && transport.hasPerRequestStream,
    hasStreams: transport.hasPerRequestStream,
    translate: (thrown) => {
      const hasSession = chosen.hasSession === true || transport.sessionId !== undefined;
      const details = remains();
      const doing = details.exit ? "ended the connection" : failureOf(symptomsOf(thrown).status);
      const site: FaultSite = { server, kind: "transport", doing, hasSession, redactor, details };
      const fault = faultAt(site, thrown);
      // One microtask later, so this request fails first, with its own, more precise fault.
      if (endsConnection(fault)) queueMicrotask(() => onLost(fault));
      // The status of a server includes the remedy; the fault of a single request must name it itself.
      const way = fault.reason === "auth" ? authRemedy(fault, options.auth?.loginHint) : undefined;
      return way === undefined ? fault : faultAt({ ...site, end: `; ${way}` }, thrown);
    },
  });
}

/** What failed, by the HTTP status if there was an answer. */
function failureOf(status: number | undefined): string {
  if (status === undefined) return "could not be reached";
  return status < 500 ? "refused the request" : "could not answer the request";
}

/** What the user can do about a request that was refused with 401 or 403. */
function authRemedy({ details: { login, status = 401 } }: ProtocolFault, hint: string | undefined): string {
  if (login !== undefined) return login;
  if (status === 403 && hint !== undefined) return `ask for access to it, or ${hint}`;
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

interface LogRoute {
  readonly lane: RpcLane | undefined;
  readonly questions: QuestionRouter;
  /** Gets the entries that have no caller. */
  readonly onLog: ((entry: LogEntry, audience: Audience) => void) | undefined;
}

/**
 * Passes a log message of the server to the caller of its call. Over HTTP the stream identifies the call. Elsewhere a log
 * message names no call, so a caller gets it only if all calls in progress belong to it.
 */
function routeLog({ params = {} }: SessionNotification, { lane, questions, onLog }: LogRoute): void {
  const carrier = lane?.carrier();
  const caller: Caller | undefined = carrier ? carrier.caller : questions.onlyCaller();
  const entry = entryOf(params);
  if (caller?.log) callListener(caller.log.bind(caller), entry);
  // A caller without `log` wants none, and other clients must not see the messages of its call.
  else if (onLog) callListener(() => onLog(entry, caller ? { kind: "none" } : questions.audience()), entry);
}

function entryOf({ level, logger, data }: NonNullable<SessionNotification["params"]>): LogEntry {
  return {
    level: logLevelOf(level),
    data,
    ...(typeof logger === "string" ? { logger } : {}),
  };
}
