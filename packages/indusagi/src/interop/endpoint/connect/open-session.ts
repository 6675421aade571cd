import type { Client } from "@modelcontextprotocol/client";
import { Listeners } from "../../../core/index.ts";
import type { CallerAbilities } from "../../../runtime/index.ts";
import type {
  MessageTransport,
  ProtocolEra,
  ProtocolFault,
  QuestionAnswerer,
  RpcMessage,
  SessionNotification,
} from "../../contract/index.ts";
import { RpcLane, TappedTransport } from "../../wire/index.ts";
import { QuestionRouter } from "../call/question-router.ts";
import { endsConnection, faultAt } from "../faults/error-faults.ts";
import { listenForChanges, tellMissed } from "../list/listen-for-changes.ts";
import type { FollowOptions, NoticeStream } from "../list/notice-stream.ts";
import { clientCapabilities } from "./client-capabilities.ts";
import { CLIENT_IDENTITY } from "./client-identity.ts";
import { eraOf, RawSession } from "./raw-session.ts";

export interface OpenSessionOptions {
  readonly server: string;
  readonly transport: MessageTransport;
  /** Skip the probe and speak this era. */
  readonly era?: ProtocolEra;
  readonly connectMs: number;
  readonly probeMs: number;
  readonly callMs: number;
  readonly totalMs: number;
  /** There is a session although the transport cannot name it, as behind the older HTTP transport. */
  readonly hasSession?: boolean;
  /** Where changes are told on a stream of their own. */
  readonly notices?: Pick<FollowOptions, "reopen" | "waitMs"> & { readonly stream: NoticeStream };
  readonly answers?: QuestionAnswerer;
  readonly relays?: CallerAbilities;
  readonly signal: AbortSignal;
  /** Hears that the connection is gone, and why if that is known. */
  readonly onLost: (fault?: ProtocolFault) => void;
  readonly note: (message: string) => void;
}

/** Connects: the SDK negotiates the era and shakes hands; from then on requests travel our own lane on the same wire. */
export async function openSession(options: OpenSessionOptions): Promise<RawSession> {
  const { server, callMs, totalMs } = options;
  const abilities: CallerAbilities = { ...options.relays, ...options.answers?.can };
  const listeners = new Listeners<SessionNotification>();
  const desk = new QuestionRouter({
    note: options.note,
    reply: (message) => void options.transport.send(message).catch(() => {}),
    ...(options.answers ? { answers: options.answers } : {}),
  });
  let lane: RpcLane | undefined;
  // Until the lane stands everything belongs to the SDK, which is shaking hands; only notifications are overheard.
  const transport = new TappedTransport(options.transport, (message) => {
    if (lane?.accept(message)) return true;
    tell(listeners, message);
    return lane !== undefined && desk.accept(message);
  });

  const client = await connectClient(transport, abilities, options);
  lane = openLane(transport, client, options);
  const session = new RawSession({
    server,
    client,
    transport,
    lane,
    desk,
    listeners,
    abilities,
    callMs,
    totalMs,
  });
  const { whileOpen: signal } = session;
  const onMissed = (method: string): void => tell(listeners, { jsonrpc: "2.0", method });
  if (session.era === "modern") void listenForChanges({ client, onMissed, signal, note: options.note });
  else
    options.notices?.stream.follow({
      ...options.notices,
      onReopened: () => tellMissed(client, onMissed),
      signal,
    });
  return session;
}

async function connectClient(
  transport: TappedTransport,
  abilities: CallerAbilities,
  options: OpenSessionOptions,
): Promise<Client> {
  const sdk = await import("@modelcontextprotocol/client");
  const client = new sdk.Client(CLIENT_IDENTITY, {
    capabilities: clientCapabilities(abilities),
    versionNegotiation: {
      mode: options.era === "legacy" ? "legacy" : "auto",
      probe: { timeoutMs: options.probeMs, maxRetries: 0 },
    },
  });
  client.onclose = () => options.onLost();
  // Mostly advisory, like late progress: what matters fails a call or closes the connection. Not so a broken stream of
  // the older HTTP transport, which would go on as a session nobody has opened.
  client.onerror = (error) => {
    if (!sdk.SseError.isInstance(error)) return;
    // A moment later: what reports it sets a timer to dial again, which only a close after that takes away.
    queueMicrotask(() => void transport.close().catch(() => {}));
  };
  await client.connect(transport as never, { timeout: options.connectMs, signal: options.signal });
  return client;
}

function openLane(
  transport: TappedTransport,
  client: Client,
  { server, onLost, ...rest }: OpenSessionOptions,
): RpcLane {
  return new RpcLane({
    server,
    cancelsByStream: eraOf(client) === "modern" && transport.hasPerRequestStream,
    hasStreams: transport.hasPerRequestStream,
    send: (message, options) => transport.send(message, options),
    translate: (thrown) => {
      const hasSession = rest.hasSession === true || transport.sessionId !== undefined;
      const fault = faultAt({ server, kind: "transport", doing: "could not be reached", hasSession }, thrown);
      // A moment later: this request fails with its own fault, which may say more than the others can know.
      if (endsConnection(fault)) queueMicrotask(() => onLost(fault));
      return fault;
    },
  });
}

function tell(listeners: Listeners<SessionNotification>, message: RpcMessage): void {
  const { id, method, params } = message;
  if (method === undefined || id !== undefined) return;
  listeners.emit(params ? { method, params } : { method });
}
