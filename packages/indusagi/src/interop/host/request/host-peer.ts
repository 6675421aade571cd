import type { ClientInfo, ToolBox } from "../../../runtime/index.ts";
import { extensionsIn, pickExtensions } from "../../content/index.ts";
import type {
  Extensions,
  HostClient,
  HostIntroduction,
  HostProviders,
  RawResult,
} from "../../contract/index.ts";
import type { JsonBudget } from "./json-budget.ts";

/** What is known about a client before its first request is handled. */
export interface HostPeer {
  readonly era: HostClient["era"];
  /** The connection or session. Without one, each request is independent. */
  readonly session?: string;
  readonly principal?: string | undefined;
  /** The name and version in its first message. */
  readonly client?: ClientInfo | undefined;
  /** The extensions in its first message that the host passes on. */
  readonly extensions?: Extensions | undefined;
  /** The listener, if questions wait for the client to return to it. */
  readonly listener?: string;
  /** The attribution key of a request without a session and without a principal. */
  readonly request?: string;
  /** The tools chosen for this peer, if they were chosen before it connected. */
  readonly box?: ToolBox;
  /** The providers chosen for this peer, if they were chosen before it connected. */
  readonly providers?: HostProviders;
  /** How the host presents itself to this peer, if not as it was made. */
  readonly introduction?: HostIntroduction | undefined;
  /** True if one connection carries many requests and gets change notifications. */
  readonly isConnection: boolean;
  /**
   * Counts a starting call. Returns a function that ends it, or nothing if there are too many calls. Absent: calls
   * are not counted.
   */
  readonly begin?: () => (() => void) | undefined;
  /** Called with the id of a request when its call is given to its tool. Absent: no token can end the request. */
  readonly onGiven?: ((id: string | number) => void) | undefined;
  /** The budget that each message was already checked against. */
  readonly measured?: JsonBudget;
  /** Called before a request is answered whose method nobody knows. */
  readonly onUnknownMethod?: () => void;
  /** How long a request may keep its stream, if the client can return for its answer. */
  readonly pollAfterMs?: number | undefined;
  /** Results that were found on the lane, and that the SDK only has to check and send. By the id of their request. */
  readonly settled?: Map<string | number, RawResult> | undefined;
}

/**
 * Who a peer is. Without a session and a principal each request has its own key: two clients of one listener must not share
 * an attribution.
 */
export function peerIdentity({
  session,
  principal,
  request = "",
}: HostPeer): Pick<HostClient, "key" | "isSingle" | "principal"> {
  const isSingle = session === undefined && principal === undefined;
  return {
    key: session ?? principal ?? request,
    ...(isSingle && { isSingle }),
    ...(principal !== undefined && { principal }),
  };
}

/** Who may continue what a request began: a later request of the same session or principal, else any that knows its id. */
export function peerOwner({ session, principal }: HostPeer): string {
  return session ?? principal ?? "anyone";
}

/** A peer's client, as far as it is known before its first request is handled. */
export function peerClient(peer: HostPeer): HostClient {
  const { era, client, extensions } = peer;
  return { ...peerIdentity(peer), era, ...(client && { client }), ...(extensions && { extensions }) };
}

/** What a client says about itself in a message. */
export interface Introduced {
  readonly client: ClientInfo;
  readonly capabilities: unknown;
}

/** The client that a message introduces: a modern request in its `_meta`, a legacy client in `initialize`. */
export function introducedIn(message: unknown): Introduced | undefined {
  const { params } = (message ?? {}) as Introducing;
  const meta = params?._meta;
  const info = meta?.["io.modelcontextprotocol/clientInfo"] ?? params?.clientInfo;
  const { name } = (info ?? {}) as { readonly name?: unknown };
  if (typeof name !== "string") return undefined;
  const capabilities = meta?.["io.modelcontextprotocol/clientCapabilities"] ?? params?.capabilities;
  return { client: info as ClientInfo, capabilities };
}

interface Introducing {
  readonly method?: unknown;
  readonly params?: {
    readonly clientInfo?: unknown;
    readonly capabilities?: unknown;
    readonly _meta?: { readonly [key: string]: unknown } | null;
  } | null;
}

/** What a host learns about a peer from its introduction. */
export function introducedPeer(
  era: HostPeer["era"],
  introduced: Introduced | undefined,
  passesExtension: (id: string, era: HostPeer["era"]) => boolean,
): Pick<HostPeer, "client" | "extensions"> {
  if (!introduced) return {};
  const { client, capabilities } = introduced;
  const declared = extensionsIn(capabilities);
  return { client, extensions: declared && pickExtensions(declared, (id) => passesExtension(id, era)) };
}
