import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ElicitRequestSchema, TaskStatusNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import {
  createProviderHost,
  linkedTransports,
  mountProtocolBridge,
  type ProviderHost,
  type ProviderHostOptions,
  type RelayScope,
  relayFleet,
  type ServerFleet,
} from "indusagi/interop";
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

export interface TaskGatewayOptions extends ProviderHostOptions {
  readonly scope?: RelayScope;
}

/** A gateway in front of a legacy server with tasks and a modern one. */
export async function taskGateway({ scope = {}, ...options }: TaskGatewayOptions = {}): Promise<TaskGateway> {
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
    return createProviderHost(relay.relayedBox(box), undefined, relay.clientProviders(scope), {
      clientExtensions: "relayed",
      ...options,
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

export async function legacyTaskClient(host: ProviderHost): Promise<LegacyTaskClient> {
  const [ours, theirs] = linkedTransports();
  const running = await host.connect(theirs);
  const client = new Client({ name: "old client", version: "1" }, { capabilities: { elicitation: {} } });
  const asked: LegacyTaskClient["asked"] = [];
  const notified: LegacyTaskClient["notified"] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params);
    return { action: "accept", content: { answer: "yes" } };
  });
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void notified.push(params));
  await client.connect(ours as never);
  return {
    client,
    asked,
    notified,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await running.cancel();
    },
  };
}
