import type { Client } from "@modelcontextprotocol/client";
import type { CallerAbilities } from "../../runtime/index.ts";
import type { ProtocolEra, ProtocolFault, QuestionAnswerer, SessionNotification } from "../contract/index.ts";
import { clientCapabilities } from "./client-capabilities.ts";
import { CLIENT_IDENTITY } from "./client-identity.ts";
import { endsConnection, faultAt } from "./error-faults.ts";
import { QuestionDesk } from "./question-desk.ts";
import { eraOf, RawSession } from "./raw-session.ts";
import { RpcLane } from "./rpc-lane.ts";
import { TappedTransport } from "./tapped-transport.ts";
import type { MessageTransport, RpcMessage } from "./transport.ts";

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
  readonly answers?: QuestionAnswerer;
  readonly relays?: CallerAbilities;
  readonly signal: AbortSignal;
  /** Hears that the connection is gone, and why if that is known. */
  readonly onLost: (fault?: ProtocolFault) => void;
  readonly note: (says: string) => void;
}

/** Connects: the SDK negotiates the era and shakes hands; from then on requests travel our own lane on the same wire. */
export async function openSession(options: OpenSessionOptions): Promise<RawSession> {
  const { server, callMs, totalMs } = options;
  const abilities: CallerAbilities = { ...options.relays, ...options.answers?.can };
  const listeners = new Set<(notification: SessionNotification) => void>();
  const desk = new QuestionDesk({
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
  if (eraOf(client) === "modern") void listenForChanges(client, options);
  return new RawSession({ server, client, transport, lane, desk, listeners, abilities, callMs, totalMs });
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
  client.onerror = () => {}; // Advisory only: late progress and the like. What matters fails a call or closes the connection.
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

function tell(
  listeners: ReadonlySet<(notification: SessionNotification) => void>,
  message: RpcMessage,
): void {
  const { id, method, params } = message;
  if (method === undefined || id !== undefined) return;
  for (const listener of [...listeners]) listener(params ? { method, params } : { method });
}

/** In the modern era changes are told only to those who listen; the notifications come through the tap. */
async function listenForChanges(client: Client, { note }: OpenSessionOptions): Promise<void> {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  const filter = {
    ...(tools?.listChanged ? { toolsListChanged: true as const } : {}),
    ...(prompts?.listChanged ? { promptsListChanged: true as const } : {}),
    ...(resources?.listChanged ? { resourcesListChanged: true as const } : {}),
  };
  if (Object.keys(filter).length === 0) return;
  try {
    await client.listen(filter);
  } catch {
    note("changes of its lists cannot be listened to");
  }
}
