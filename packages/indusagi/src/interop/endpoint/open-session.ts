import type { Client } from "@modelcontextprotocol/client";
import type { CallerAbilities } from "../../runtime/index.ts";
import type { QuestionAnswerer } from "../contract/index.ts";
import {
  type ProtocolEra,
  ProtocolFault,
  type ServerSession,
  type SessionNotification,
  type SessionRequestOptions,
} from "../contract/index.ts";
import { clientCapabilities } from "./client-capabilities.ts";
import { CLIENT_NAME, CLIENT_VERSION } from "./client-identity.ts";
import { faultAt } from "./error-faults.ts";
import { type CallUnderWay, QuestionDesk } from "./question-desk.ts";
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
  readonly answers?: QuestionAnswerer;
  readonly relays?: CallerAbilities;
  readonly signal: AbortSignal;
  /** Hears that the connection is gone, and why if that is known. */
  readonly onLost: (fault?: ProtocolFault) => void;
  readonly note: (says: string) => void;
}

/** A session and the handles only its endpoint has. */
export interface OpenedSession extends ServerSession {
  readonly lane: RpcLane;
  enter(call: CallUnderWay): () => void;
  close(): Promise<void>;
}

const MODERN_META = {
  version: "io.modelcontextprotocol/protocolVersion",
  client: "io.modelcontextprotocol/clientInfo",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
} as const;

const IDENTITY = { name: CLIENT_NAME, version: CLIENT_VERSION };

/** Connects: the SDK negotiates the era and shakes hands; from then on requests travel our own lane on the same wire. */
export async function openSession(options: OpenSessionOptions): Promise<OpenedSession> {
  const sdk = await import("@modelcontextprotocol/client");
  const listeners = new Set<(notification: SessionNotification) => void>();
  const abilities: CallerAbilities = { ...options.relays, ...options.answers?.can };
  const desk = new QuestionDesk({
    note: options.note,
    reply: (message) => void options.transport.send(message).catch(() => {}),
    ...(options.answers ? { answers: options.answers } : {}),
  });
  let lane: RpcLane | undefined;

  const tap = (message: RpcMessage): boolean => {
    if (lane?.accept(message)) return true;
    if (message.method !== undefined && message.id === undefined) tell(listeners, message);
    return lane !== undefined && desk.accept(message);
  };
  const tapped = new TappedTransport(options.transport, tap);
  const client = new sdk.Client(IDENTITY, {
    capabilities: clientCapabilities(abilities),
    versionNegotiation: {
      mode: options.era === "legacy" ? "legacy" : "auto",
      probe: { timeoutMs: options.probeMs, maxRetries: 0 },
    },
  });
  client.onclose = () => options.onLost();
  client.onerror = () => {}; // Advisory only: late progress and the like. What matters fails a call or closes the connection.
  await client.connect(tapped as never, { timeout: options.connectMs, signal: options.signal });

  const era: ProtocolEra = client.getProtocolEra() === "modern" ? "modern" : "legacy";
  const protocolVersion = client.getNegotiatedProtocolVersion() ?? "";
  lane = new RpcLane({
    server: options.server,
    cancelsByStream: era === "modern" && tapped.hasPerRequestStream,
    send: (message, sendOptions) => tapped.send(message, sendOptions),
    translate: (thrown) => {
      const hasSession = tapped.sessionId !== undefined;
      const site = {
        server: options.server,
        kind: "transport",
        doing: "could not be reached",
        hasSession,
      } as const;
      const fault = faultAt(site, thrown);
      if (fault.reason === "session_lost") options.onLost(fault); // Every request after it would fail the same way.
      return fault;
    },
  });
  const opened = lane;
  if (era === "modern") void listenForChanges(client, options);

  const envelope = (can: CallerAbilities): object => ({
    [MODERN_META.version]: protocolVersion,
    [MODERN_META.client]: IDENTITY,
    [MODERN_META.capabilities]: clientCapabilities(can),
  });
  return {
    era,
    protocolVersion,
    serverInfo: { ...client.getServerVersion() },
    capabilities: { ...client.getServerCapabilities() },
    ...instructionsOf(client),
    lane: opened,
    enter: (call) => desk.enter(call),
    request: (method, params = {}, request: LaneRequestOptions = {}) => {
      const meta =
        era === "modern"
          ? { ...(params["_meta"] as object), ...envelope(request.caller?.can ?? abilities) }
          : params["_meta"];
      return opened.request({
        method,
        params: meta === undefined ? params : { ...params, _meta: meta },
        timeoutMs: request.timeoutMs ?? options.callMs,
        totalMs: request.totalMs ?? options.totalMs,
        ...(request.signal ? { signal: request.signal } : {}),
        ...(request.headers ? { headers: request.headers } : {}),
        ...(request.onProgress ? { onProgress: request.onProgress } : {}),
      });
    },
    notify: (method, params) => tapped.send({ jsonrpc: "2.0", method, ...(params ? { params } : {}) }),
    onNotification: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => {
      opened.lose(
        new ProtocolFault("not_connected", `server "${options.server}" is closed`, {
          server: options.server,
          retrySafe: true,
        }),
      );
      await endHttpSession(options.transport);
      await client.close().catch(() => {});
    },
  };
}

export interface LaneRequestOptions extends SessionRequestOptions {
  readonly headers?: { readonly [name: string]: string };
}

function tell(
  listeners: ReadonlySet<(notification: SessionNotification) => void>,
  { method = "", params }: RpcMessage,
): void {
  for (const listener of [...listeners]) listener(params ? { method, params } : { method });
}

function instructionsOf(client: Client): { instructions?: string } {
  const instructions = client.getInstructions();
  return instructions === undefined ? {} : { instructions };
}

/** In the modern era changes are told only to those who listen; the notifications come through the tap. */
async function listenForChanges(client: Client, options: OpenSessionOptions): Promise<void> {
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
    options.note("changes of its lists cannot be listened to");
  }
}

/** A legacy HTTP server keeps a session until it is told that it may go; a server that does not answer must not hold us. */
async function endHttpSession(transport: MessageTransport): Promise<void> {
  const ending = (transport as { terminateSession?: () => Promise<void> }).terminateSession?.bind(transport);
  if (!ending || transport.sessionId === undefined) return;
  await Promise.race([ending().catch(() => {}), new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
}
