import type { Server, Transport } from "@modelcontextprotocol/server";
import { callListener, describeError, mintUlid } from "../../core/index.ts";
import { PACKAGE_VERSION } from "../../core/internal.ts";
import { isForwardableExtension, isRelayedExtension } from "../content/index.ts";
import {
  type BoxSource,
  Extension,
  type HostIntroduction,
  type HostProviders,
  type MessageTransport,
  type ProtocolEra,
  ProtocolFault,
  type ProviderHost,
  type ProviderHostInfo,
  type ProviderSource,
  type RpcMessage,
  type RunningProviderHost,
} from "../contract/index.ts";
import { connectServer } from "./build-server.ts";
import {
  chosenProviders,
  FirstListings,
  type HostCore,
  type ProviderHostOptions,
  TaskPushes,
} from "./host-core.ts";
import type { Answer } from "./lane/answer.ts";
import { Lane } from "./lane/lane.ts";
import { ModernClients } from "./lane/modern-clients.ts";
import { ParkedCalls, resolveParking } from "./questions/parked-calls.ts";
import { type HostPeer, type Introduced, introducedPeer } from "./request/host-peer.ts";
import { resolveJsonBudget } from "./request/json-budget.ts";
import { loadServerSdk } from "./server-sdk.ts";
import { pushTasks } from "./subscriptions/listened-tasks.ts";
import { ListeningTransport } from "./subscriptions/listening-transport.ts";
import { ResourceWatchers } from "./subscriptions/resource-watchers.ts";
import { TaskRecord } from "./tasks/task-record.ts";
import { TaskTable } from "./tasks/task-table.ts";

export const HOST_NAME = "indus-provider-host";
export const HOST_VERSION: string = PACKAGE_VERSION;

const PASSED_EXTENSIONS = {
  none: () => false,
  relayed: isRelayedExtension,
  all: isForwardableExtension,
} as const;

const cores = new WeakMap<ProviderHost, HostCore>();

/**
 * Offers a tool box, and optionally resources, prompts and completion, as an MCP server for any number of clients in
 * both eras.
 */
export function createProviderHost(
  box: BoxSource,
  info: ProviderHostInfo = { name: HOST_NAME, version: HOST_VERSION },
  providers: ProviderSource = {},
  options: ProviderHostOptions = {},
): ProviderHost {
  const parking = resolveParking(options.questions);
  const report = options.report ?? (() => {});
  const tasks = options.tasks && new TaskTable(options.tasks);
  const core: HostCore = {
    box,
    info,
    providers,
    json: resolveJsonBudget(options.json),
    questionMs: parking.questionMs,
    parked: new ParkedCalls(parking),
    watches: new ResourceWatchers(report),
    taskPushes: new TaskPushes(),
    clients: options.clients ?? {},
    tasks,
    keptTasks: tasks ?? new TaskTable(),
    taskRecord: new TaskRecord(),
    // A legacy session has tasks of its own, so there the id means nothing.
    passesExtension: (id, era) =>
      (era === "modern" || id !== Extension.TASKS) &&
      PASSED_EXTENSIONS[options.clientExtensions ?? "none"](id),
    listsAsReceived: options.listsAsReceived ?? false,
    reportedLists: new Set(),
    introduction: options.introduction,
    afterFirstListing: options.afterFirstListing,
    firstListings: new FirstListings(options.beforeFirstListing),
    usesLane: process.env["INDUS_INBOUND"] !== "sdk",
    isLinked: options.link ?? false,
    stateKey: options.stateKey ?? crypto.getRandomValues(new Uint8Array(32)),
    report,
  };
  const host: ProviderHost = { info, connect: (transport) => connectHost(core, transport) };
  cores.set(host, core);
  return host;
}

/** The internals of a host made by `createProviderHost`. */
export function hostCoreOf(host: ProviderHost): HostCore {
  const core = cores.get(host);
  if (!core) throw new TypeError("the host was not made by createProviderHost");
  return core;
}

/** Serves one connection over any transport. The client's first message determines the era. */
async function connectHost(core: HostCore, transport: MessageTransport): Promise<RunningProviderHost> {
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  const sdk = await loadServerSdk();
  const clients = new ModernClients(sdk);
  let lane: Lane | undefined;
  const session = `connection_${mintUlid()}`;
  let chosen: HostProviders | undefined;
  const peerIn = (era: ProtocolEra, introduced: Introduced | undefined): HostPeer => {
    const peer = {
      era,
      session,
      isConnection: true,
      ...introducedPeer(era, introduced, core.passesExtension),
    };
    chosen ??= chosenProviders(core, peer);
    return { ...peer, providers: chosen };
  };
  const watched = new ListeningTransport(transport, {
    watchers: core.watches,
    key: session,
    resources: (introduced) => peerIn("modern", introduced).providers?.resources,
    tasks: (message, introduced, signal) =>
      pushTasks(message, { core, peer: peerIn("modern", introduced), signal }),
    onFirstListing: () => callListener(core.afterFirstListing, undefined),
    take: (message) => lane?.take(message) ?? false,
  });
  const report = (thrown: unknown): void => core.report(`Failed to send response: ${String(thrown)}`);
  const link = {
    answer: (answer: Answer): void => watched.answer(answer, report),
    notify: (message: RpcMessage): Promise<void> => watched.send(message),
    handOver: (message: RpcMessage): void => watched.onmessage?.(message),
    report: (message: string): void => core.report(message),
  };
  const build = ({ era }: { readonly era: ProtocolEra }, introduction?: HostIntroduction): Server => {
    const connection = connectServer(core, { ...peerIn(era, watched.introduced), introduction }, sdk);
    lane = core.usesLane ? new Lane(connection, link, clients) : undefined;
    return connection.server;
  };
  const { introduction } = core;
  const serving = serveStdio(
    introduction ? async (ctx) => build(ctx, await introduction()) : (ctx) => build(ctx),
    {
      transport: watched as Transport,
      onerror: (error) => core.report(error.message),
    },
  );
  try {
    await watched.started;
  } catch (cause) {
    throw new ProtocolFault("transport", `the host's transport cannot start: ${describeError(cause)}`, {
      cause,
    });
  }
  const cancel = async (): Promise<void> => {
    await serving.close().catch(() => {});
    await watched.ended;
  };
  return { waiting: () => watched.ended, cancel, close: cancel };
}
