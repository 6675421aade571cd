import { Client } from "@modelcontextprotocol/client";
import {
  createClientLink,
  createProviderHost,
  type FleetOptions,
  type InjectedTransport,
  linkedTransports,
  mountProtocolBridge,
  type ProtocolEra,
  type ProviderHost,
  relayFleet,
  type ServerFleet,
} from "indusagi/interop";
import { type LiveRow, liveServers } from "../kit/live-fleet.ts";

export interface LiveGateway extends AsyncDisposable {
  readonly fleet: ServerFleet;
  readonly host: ProviderHost;
  /** The transports of each server so far, oldest first: one per start. */
  readonly starts: ReadonlyMap<string, InjectedTransport[]>;
}

export interface LiveGatewayOptions extends Pick<FleetOptions, "instances" | "supervision"> {
  readonly isOnlyClient?: boolean;
}

/** A gateway in this process in front of servers in this process. */
export async function liveGateway(
  rows: { readonly [id: string]: LiveRow },
  { isOnlyClient = false, ...options }: LiveGatewayOptions = {},
): Promise<LiveGateway> {
  const link = createClientLink({ isOnlyClient });
  const { servers, transport, starts } = liveServers(rows);
  const { box, fleet } = await mountProtocolBridge(
    { servers },
    { ...options, answers: link.answers, transport },
  );
  link.attach(fleet);
  const relay = relayFleet(fleet);
  const host = createProviderHost(relay.relayedBox(box), undefined, relay.clientProviders(), {
    clients: link.observerOf(relay.shownQuestions),
  });
  return { fleet, host, starts, [Symbol.asyncDispose]: () => fleet.tearDown() };
}

/** What a server records. */
interface Seen {
  readonly level?: string;
  readonly levels: readonly string[];
  readonly subscribed: readonly string[];
  readonly listening: readonly { readonly resourceSubscriptions?: readonly string[] }[];
  readonly rootsChanged: number;
  readonly cancelled: number;
  /** To questions outside of calls. */
  readonly answers: readonly object[];
}

/** A client of the official SDK, which answers every question and records everything that it is told. */
export interface LiveClient extends AsyncDisposable {
  readonly sdk: Client;
  /** The methods and params of all notifications so far. */
  readonly heard: { readonly method: string; readonly params: { readonly [member: string]: unknown } }[];
  /** What a tool answers, parsed. */
  call(name: string, args?: object, options?: Parameters<Client["callTool"]>[1]): Promise<unknown>;
  /** What the server has seen of us. */
  seen(server?: string): Promise<Seen>;
  /** What was heard with this method. */
  told(method: string): { readonly [member: string]: unknown }[];
}

export async function liveClient(host: ProviderHost, era: ProtocolEra, who = "Ada"): Promise<LiveClient> {
  const [ours, theirs] = linkedTransports();
  const running = await host.connect(theirs);
  const heard: LiveClient["heard"] = [];
  const sdk = new Client(
    { name: who, version: "1" },
    {
      capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } },
      versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" },
    },
  );
  sdk.setRequestHandler("elicitation/create", ({ params }) =>
    "url" in params ? { action: "accept" } : { action: "accept", content: { name: who } },
  );
  sdk.setRequestHandler("sampling/createMessage", () => ({
    role: "assistant",
    model: "m",
    content: { type: "text", text: `hi from ${who}` },
  }));
  sdk.setRequestHandler("roots/list", () => ({ roots: [{ uri: `file:///${who}`, name: who }] }));
  sdk.fallbackNotificationHandler = async ({ method, params }) =>
    void heard.push({ method, params: (params ?? {}) as never });
  await sdk.connect(ours as never);
  const call: LiveClient["call"] = async (name, args = {}, options = {}) => {
    const { content } = await sdk.callTool({ name, arguments: { ...args } }, options);
    const [{ text } = { text: "" }] = content as { text: string }[];
    return text.startsWith("{") ? JSON.parse(text) : text;
  };
  return {
    sdk,
    heard,
    call,
    seen: async (server = "up") => (await call(`${server}__seen`)) as Seen,
    told: (method) => heard.filter((each) => each.method === method).map(({ params }) => params),
    [Symbol.asyncDispose]: async () => {
      await sdk.close();
      await running.cancel();
    },
  };
}
