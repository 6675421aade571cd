import {
  createProviderHost,
  createServerEndpoint,
  type FleetOptions,
  type InjectedTransport,
  linkedTransports,
  mountProtocolBridge,
  type ProtocolEra,
  type ProviderHost,
  type RpcMessage,
  relayFleet,
  type ServerConfig,
} from "indusagi/interop";
import { createHintedServer, type HintedServerOptions } from "../../../../../test/servers/hinted.mjs";
import { withoutDiscovery } from "../../mcp/kit/legacy-only.ts";

type Scope = Parameters<ReturnType<typeof relayFleet>["clientProviders"]>[0];

/** A server of a test: what it states, and members of its row. */
export interface HintedRow extends HintedServerOptions {
  readonly row?: Partial<Pick<ServerConfig, "share" | "passBaggage">>;
}

/** A client of the gateway that caches nothing and sees whole results. */
interface RawClient {
  ask(method: string, params?: object): Promise<{ readonly [member: string]: unknown }>;
  /** What a tool answers, parsed. */
  call(name: string, args?: object): Promise<unknown>;
}

export interface HintedGateway extends AsyncDisposable {
  readonly host: ProviderHost;
  client(era?: ProtocolEra): Promise<RawClient>;
  /** Ends a server's connection. It is started again, as new. */
  kill(server: string): Promise<void>;
  /** How often a server was asked with a method. */
  times(server: string, method: string): Promise<number>;
  /** The `_meta` of its last request with a method. */
  metaOf(server: string, method: string): Promise<{ readonly [key: string]: unknown } | undefined>;
}

type Asked = readonly {
  readonly method: string;
  readonly meta: { readonly [key: string]: unknown };
}[];

/** A gateway in this process in front of servers that state hints. */
export async function hintedGateway(
  rows: { readonly [id: string]: HintedRow },
  scope: Scope = {},
  options: Pick<FleetOptions, "toolReview"> = {},
): Promise<HintedGateway> {
  const servers = Object.entries(rows).map(([id, { row }]) => {
    return { kind: "stdio" as const, id, command: "(in this process)", ...row };
  });
  const newest = new Map<string, InjectedTransport>();
  const transport = ({ id }: { readonly id: string }): InjectedTransport => {
    const [ours, theirs] = linkedTransports();
    newest.set(id, theirs);
    const send = (message: RpcMessage): void => void theirs.send(message).catch(() => {});
    theirs.onmessage = createHintedServer(send, rows[id]);
    void theirs.start();
    return ours;
  };
  const { box, fleet } = await mountProtocolBridge(
    { servers },
    { ...options, transport, supervision: { firstDelayMs: 1 } },
  );
  const relay = relayFleet(fleet);
  const host = createProviderHost(relay.relayedBox(box), undefined, relay.clientProviders(scope));
  const opened: { close(): Promise<void> }[] = [];
  const asked = async (server: string): Promise<Asked> => {
    const lease = await fleet.acquire(server);
    const { content } = await lease.endpoint.invoke("asked", {}).finally(() => lease.release());
    return JSON.parse((content[0] as { readonly text: string }).text) as Asked;
  };
  return {
    host,
    client: async (era = "modern") => {
      const [ours, theirs] = linkedTransports();
      const running = await host.connect(theirs);
      const end = era === "legacy" ? withoutDiscovery(ours) : ours;
      const client = createServerEndpoint(
        { kind: "stdio", id: "gateway", command: "(here)", passBaggage: true },
        end,
        { relays: { elicit: { form: true } } },
      );
      await client.open();
      opened.push(client, running);
      return {
        ask: async (method, params = {}) =>
          (await client.session().request(method, { ...params })) as { readonly [member: string]: unknown },
        call: async (name, args = {}) => {
          const { content } = await client.invoke(name, args);
          return JSON.parse((content[0] as { readonly text: string }).text) as unknown;
        },
      };
    },
    kill: async (server) => newest.get(server)?.close(),
    times: async (server, method) => (await asked(server)).filter((each) => each.method === method).length,
    metaOf: async (server, method) => (await asked(server)).findLast((each) => each.method === method)?.meta,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((each) => each.close()));
      await fleet.tearDown();
    },
  };
}
