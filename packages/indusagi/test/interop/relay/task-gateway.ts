import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, TaskStatusNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import {
  createProviderHost,
  linkedTransports,
  mountProtocolBridge,
  type ProviderHost,
  relayFleet,
  type ServerFleet,
  serveHttp,
} from "indusagi/interop";
import type { ToolBox } from "indusagi/runtime";
import { taskTools } from "../host/tasks/task-client.ts";
import { type LegacyTaskServer, legacyTaskServer } from "./legacy-task-server.ts";

export interface TaskGateway extends AsyncDisposable {
  readonly host: ProviderHost;
  readonly fleet: ServerFleet;
  /** The legacy server, offered as `old`. */
  readonly old: LegacyTaskServer;
  /** Ends the running task of `held` of the server with the extension, offered as `new`. */
  release(text: string): void;
  /** Another gateway with the same key, as after a restart. */
  again(): ProviderHost;
}

export interface TaskGatewayOptions {
  /** How the tools are offered. */
  readonly wrap?: (box: ToolBox) => ToolBox;
}

/** A gateway in front of a legacy server with tasks and a modern one. */
export async function taskGateway({ wrap = (box) => box }: TaskGatewayOptions = {}): Promise<TaskGateway> {
  const { box: tools, release } = taskTools();
  const modern = createProviderHost(tools, undefined, {}, { tasks: { pollMs: 20 } });
  const old = legacyTaskServer();
  const { box, fleet } = await mountProtocolBridge(
    {
      servers: [
        { kind: "stdio", id: "old", command: "(in this process)" },
        { kind: "stdio", id: "new", command: "(in this process)" },
      ],
    },
    {
      relays: { elicit: { form: true } },
      transport: ({ id }) => {
        if (id === "old") return old.transport();
        const [ours, theirs] = linkedTransports();
        void modern.connect(theirs);
        return ours;
      },
    },
  );
  const again = (): ProviderHost => {
    const relay = relayFleet(fleet, { taskKey: () => new Uint8Array(32).fill(1) });
    return createProviderHost(wrap(relay.relayedBox(box)), undefined, relay.clientProviders(), {
      clientExtensions: "relayed",
    });
  };
  return { host: again(), again, fleet, old, release, [Symbol.asyncDispose]: () => fleet.tearDown() };
}

/** An official client of the legacy era. Its answers to questions say `yes`. */
export interface LegacyTaskClient extends AsyncDisposable {
  readonly client: Client;
  /** The questions it was asked. */
  readonly asked: { readonly [member: string]: unknown }[];
  /** The states of tasks it was notified of. */
  readonly notified: { readonly taskId: string; readonly status: string }[];
}

/** `principal`: who the client is, over HTTP. Default: a connection in this process. */
export async function legacyTaskClient(host: ProviderHost, principal?: string): Promise<LegacyTaskClient> {
  const { transport, close } = principal === undefined ? await linked(host) : await overHttp(host, principal);
  const client = new Client({ name: "old client", version: "1" }, { capabilities: { elicitation: {} } });
  const asked: LegacyTaskClient["asked"] = [];
  const notified: LegacyTaskClient["notified"] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params);
    return { action: "accept", content: { answer: "yes" } };
  });
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void notified.push(params));
  await client.connect(transport);
  return {
    client,
    asked,
    notified,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await close();
    },
  };
}

interface Connected {
  readonly transport: Parameters<Client["connect"]>[0];
  close(): Promise<void>;
}

async function linked(host: ProviderHost): Promise<Connected> {
  const [ours, theirs] = linkedTransports();
  const running = await host.connect(theirs);
  return { transport: ours as never, close: () => running.cancel() };
}

async function overHttp(host: ProviderHost, principal: string): Promise<Connected> {
  const verifier = { verify: (token: string) => ({ principal: token, audience: "any" as const }) };
  const listener = await serveHttp(host, { port: 0, verifier });
  const headers = { authorization: `Bearer ${principal}` };
  const transport = new StreamableHTTPClientTransport(new URL(listener.url), { requestInit: { headers } });
  return { transport: transport as never, close: () => listener.close() };
}
