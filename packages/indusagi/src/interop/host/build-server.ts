import type { RequestStateCodec, Server, ServerCapabilities } from "@modelcontextprotocol/server";
import { isRecord } from "../../core/internal.ts";
import type { LogEntry } from "../../runtime/index.ts";
import { isWantedLevel } from "../../runtime/internal.ts";
import { extensionsIn, LEGACY_TASKS, skillAbilities, taskKindIn } from "../content/index.ts";
import {
  Extension,
  type HostIntroduction,
  type HostProviders,
  LinkKey,
  linkedCallerIn,
  linkedOwner,
  type ProtocolEra,
  type RawResult,
  type ResourceProvider,
  type SessionNotification,
} from "../contract/index.ts";
import { RpcCode, RpcFailure } from "../wire/index.ts";
import { chosenProviders, type HostCore } from "./host-core.ts";
import { followChanges } from "./offer/host-changes.ts";
import { provideCompletion, providePrompts } from "./offer/provide-prompts.ts";
import { askProvider, provideResources } from "./offer/provide-resources.ts";
import { provideSkills } from "./offer/provide-skills.ts";
import { provideTools } from "./offer/provide-tools.ts";
import { attempt } from "./request/attempt.ts";
import { observeClient } from "./request/connected-client.ts";
import { HostConnection } from "./request/host-connection.ts";
import { type HostPeer, peerClient } from "./request/host-peer.ts";
import type { loadServerSdk } from "./server-sdk.ts";
import { offersTasks } from "./tasks/follows-tasks.ts";
import { provideLegacyTasks, TASK_STATUS } from "./tasks/provide-legacy-tasks.ts";
import { provideTasks } from "./tasks/provide-tasks.ts";

type Sdk = Awaited<ReturnType<typeof loadServerSdk>>;

/** An SDK server with everything the host offers, for one peer: a connection, or a single request without one. */
export function buildServer(core: HostCore, peer: HostPeer, sdk: Sdk): Server {
  return connectServer(core, peer, sdk).server;
}

/** The same with what the lane needs. */
export function connectServer(core: HostCore, peer: HostPeer, sdk: Sdk): HostConnection {
  const { info = core.info, capabilities: shown } = peer.introduction ?? {};
  const { instructions: given, ...implementation } = info;
  const instructions = typeof given === "function" ? given(peerClient(peer)) : given;
  const chosen = peer.providers ?? chosenProviders(core, peer);
  const isModern = peer.era === "modern";
  const hasTasks = offersTasks(core, chosen);
  const offered = capabilitiesOf(chosen, hasTasks ? peer.era : undefined);
  const capabilities = advertised(offered, shown);
  const providers = providersFor(chosen, capabilities);
  const codec = stateCodec(core, peer, sdk);
  const server = new sdk.Server(implementation, {
    capabilities: core.isLinked ? capabilitiesForLink(capabilities, shown) : capabilities,
    ...(instructions === undefined ? {} : { instructions }),
    // In the legacy era a tool asks directly; the SDK has nothing to translate.
    inputRequired: { legacyShim: false },
    requestState: { verify: async (state, ctx) => codec.verify(requireCanonical(state), ctx) },
    debouncedNotificationMethods: [
      "notifications/tools/list_changed",
      "notifications/prompts/list_changed",
      "notifications/resources/list_changed",
    ],
  });
  const connection = new HostConnection({
    core,
    peer,
    server,
    codec: () => codec,
    providers: () => providers,
    offersTools: capabilities.tools !== undefined,
    offersLogging: capabilities.logging !== undefined,
    info: implementation,
  });
  const { resources, prompts, skills } = providers;
  if (capabilities.tools) provideTools(connection);
  if (resources) provideResources(connection, resources);
  if (prompts) providePrompts(connection, prompts);
  if (skills) provideSkills(connection, skills);
  if (providers.complete) provideCompletion(connection, providers.complete.bind(providers));
  if (peer.era === "legacy" && capabilities.logging) provideLogLevel(connection);
  if (hasTasks && isModern) provideTasks(connection);
  if (capabilities.tasks) provideLegacyTasks(connection);
  if (providers.forward) forwardUnknown(connection, providers.forward.bind(providers));
  server.onerror = (error) => core.report(error.message);
  if (peer.isConnection) followConnection(connection);
  return connection;
}

/** Seals the states that clients hold. */
export function stateCodec(core: HostCore, peer: HostPeer, sdk: Sdk): RequestStateCodec<object> {
  return sdk.createRequestStateCodec<object>({
    key: core.stateKey,
    ttlSeconds: Math.ceil(core.questionMs / 1000),
    // A state is valid only for the same request of the same principal.
    bind: ({ mcpReq: { method, _meta } }) => {
      const caller = core.isLinked ? linkedCallerIn(_meta) : undefined;
      if (core.isLinked) return `${method}\0${caller ? linkedOwner(caller) : ""}`;
      return `${method}\0${peer.session ?? ""}\0${peer.principal ?? ""}`;
    },
  });
}

/** `tasks`: the era in whose form tasks are advertised, if there are any. */
function capabilitiesOf(providers: HostProviders, tasks: ProtocolEra | undefined): ServerCapabilities {
  return {
    tools: { listChanged: true },
    logging: {},
    ...(providers.resources ? { resources: resourceAbilities(providers.resources) } : {}),
    ...(providers.prompts ? { prompts: { listChanged: true } } : {}),
    ...(providers.complete ? { completions: {} } : {}),
    ...(tasks === "legacy" && { tasks: LEGACY_TASKS }),
    ...extensionsOf(providers, tasks === "modern"),
  };
}

/** The settings of an extension are its value itself. Skills are advertised if they are provided. */
function extensionsOf(
  { extensions = {}, skills, resources }: HostProviders,
  hasTasks: boolean,
): Pick<ServerCapabilities, "extensions"> {
  const { [Extension.SKILLS]: _skills, [Extension.TASKS]: _tasks, ...others } = extensions;
  const all = {
    ...others,
    ...(hasTasks && { [Extension.TASKS]: {} }),
    ...(skills && resources && { [Extension.SKILLS]: skills.directory ? { directoryRead: true } : {} }),
  };
  return Object.keys(all).length > 0 ? { extensions: all } : {};
}

/** A provider that never reports new content is not advertised as one that does. */
function resourceAbilities(provider: ResourceProvider): ServerCapabilities["resources"] {
  const canReport = provider.watch !== undefined || provider.onUpdated !== undefined;
  return { ...(canReport ? { subscribe: true } : {}), listChanged: true };
}

/** The advertised capabilities: those of the host or, with `shown`, only those in both. */
function advertised(can: ServerCapabilities, shown: HostIntroduction["capabilities"]): ServerCapabilities {
  if (!shown) return can;
  const said = withTasksOfBothEras(shown);
  const both = Object.entries(can).flatMap(([name, abilities]) => {
    const asked = said[name];
    if (typeof asked !== "object" || asked === null) return [];
    return [[name, (BOTH[name] ?? inBoth)(abilities as object, asked)]];
  });
  return Object.fromEntries(both) as ServerCapabilities;
}

/** Tasks of either era are translated for clients of the other. */
function withTasksOfBothEras(shown: NonNullable<HostIntroduction["capabilities"]>): RawResult {
  const kind = taskKindIn(shown);
  if (kind === "extension") return { ...shown, tasks: LEGACY_TASKS };
  return kind ? { ...shown, extensions: { ...extensionsIn(shown), [Extension.TASKS]: {} } } : shown;
}

const BOTH: { readonly [name: string]: (can: object, asked: object) => object } = {
  extensions: extensionsInBoth,
  // Its members are objects.
  tasks: (can, asked) =>
    Object.fromEntries(Object.entries(can).filter(([name]) => Object.hasOwn(asked, name))),
};

/** The abilities of one capability, such as `listChanged`. */
function inBoth(can: object, asked: object): object {
  return Object.fromEntries(Object.entries(can).filter(([name]) => Reflect.get(asked, name) === true));
}

/** What we do for skills depends on us too; the settings of any other extension are those of its server. */
function extensionsInBoth(can: object, asked: object): object {
  const both = Object.entries(can).flatMap(([id, settings]: [string, object]) => {
    const wanted: unknown = Reflect.get(asked, id);
    if (!isRecord(wanted)) return [];
    return [[id, id === Extension.SKILLS ? inBoth(settings, wanted) : settings]];
  });
  return Object.fromEntries(both) as object;
}

/** Tasks of a legacy server are told as what they are: the other end offers them to clients of both eras. */
function capabilitiesForLink(
  capabilities: ServerCapabilities,
  shown: HostIntroduction["capabilities"],
): ServerCapabilities {
  if (taskKindIn(shown) !== "legacy" || !shown) return capabilities;
  const { [Extension.TASKS]: _, ...others } = capabilities.extensions ?? {};
  return { ...capabilities, extensions: { ...others, [LinkKey.TASKS]: shown["tasks"] as never } };
}

/** The providers without those that are not advertised. */
function providersFor(providers: HostProviders, shown: ServerCapabilities): HostProviders {
  const { resources, prompts, completions } = shown;
  const skills = advertisedSkills(providers, shown);
  const isHidden =
    providers.skills !== skills ||
    (providers.resources && !resources) ||
    (providers.prompts && !prompts) ||
    (providers.complete && !completions);
  if (!isHidden) return providers;
  return {
    ...(providers.feed ? { feed: providers.feed } : {}),
    ...(providers.toolHint ? { toolHint: providers.toolHint.bind(providers) } : {}),
    ...(providers.tasks ? { tasks: providers.tasks } : {}),
    ...(providers.forward ? { forward: providers.forward.bind(providers) } : {}),
    ...(resources && providers.resources ? { resources: providers.resources } : {}),
    ...(prompts && providers.prompts ? { prompts: providers.prompts } : {}),
    ...(skills ? { skills } : {}),
    ...(completions && providers.complete ? { complete: providers.complete.bind(providers) } : {}),
  };
}

/** The skills, without the folders if those are not advertised. */
function advertisedSkills({ skills }: HostProviders, shown: ServerCapabilities): HostProviders["skills"] {
  const abilities = skillAbilities(shown);
  if (!skills || !abilities) return undefined;
  if (abilities.directoryRead || !skills.directory) return skills;
  return { list: skills.list.bind(skills), get: skills.get.bind(skills) };
}

/** Passes requests of unknown methods to the provider, which may know the extension that they belong to. */
function forwardUnknown(connection: HostConnection, forward: NonNullable<HostProviders["forward"]>): void {
  connection.server.fallbackRequestHandler = async ({ method, params = {} }, ctx) => {
    try {
      return await askProvider(connection, ctx, method, (request) => {
        const { _meta: _, ...own } = params as RawResult;
        const answer = forward(method, own, request);
        if (!answer) throw new RpcFailure(RpcCode.METHOD_NOT_FOUND, "Method not found");
        return answer;
      });
    } catch (thrown) {
      if ((thrown as { readonly code?: unknown }).code === RpcCode.METHOD_NOT_FOUND)
        connection.peer.onUnknownMethod?.();
      throw thrown;
    }
  };
}

/**
 * Answers `logging/setLevel` of the legacy era: the level applies to this client only and is passed to the feed. In the modern
 * era each request names its level.
 */
function provideLogLevel(connection: HostConnection): void {
  const { server, providers } = connection;
  server.setRequestHandler("logging/setLevel", async ({ params: { level } }, ctx) => {
    connection.logLevel = level;
    await askProvider(connection, ctx, "logging/setLevel", async (request) => {
      await providers.feed?.setLevel?.(level, request);
      return {};
    });
    return {};
  });
}

/**
 * Accepts only the canonical encoding of a state: the last character of base64 has unused bits, which the SDK ignores.
 */
function requireCanonical(state: string): string {
  const [, ...parts] = state.split(".");
  const isOurs = parts.every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
  if (!isOurs) throw new RpcFailure(RpcCode.INVALID_PARAMS, "Invalid or expired requestState");
  return state;
}

/** The end of an elicitation by URL. Sent only to the client that was asked. */
const COMPLETED = "notifications/elicitation/complete";

/** Changes of tasks that are kept until their client has them. Most are of other clients, and never sent. */
const MAX_EARLY = 100;

type Tell = (sent: Promise<void>) => void;

/** Sends changes, log messages and notifications to a connection while it lasts, and reports its client. */
function followConnection(connection: HostConnection): void {
  const { core, server, providers } = connection;
  const report = (message: string): void => core.report(message);
  const tell: Tell = (sent) => void sent.catch((thrown: unknown) => report(String(thrown)));
  const sink = {
    toolsChanged: () => tell(server.sendToolListChanged()),
    promptsChanged: () => tell(server.sendPromptListChanged()),
    resourcesChanged: () => tell(server.sendResourceListChanged()),
    resourceUpdated: (uri: string) => {
      if (connection.isWatching(uri)) tell(server.sendResourceUpdated({ uri }));
    },
  };
  const stop = followChanges({ box: core.box, providers, report }, sink);
  const hasFeed = connection.peer.era === "legacy" || core.isLinked;
  const stopFeed = hasFeed ? followFeed(connection, tell) : [];
  const leave = observeClient(connection);
  connection.onBoxChosen = (box) => box.onChange(sink.toolsChanged);
  server.onclose = () => {
    stop();
    connection.end();
    for (const end of [...stopFeed, leave]) attempt(end, report);
  };
}

/** Sends what the client gets outside of its requests. Returns functions that stop it. */
function followFeed(connection: HostConnection, tell: Tell): readonly (() => void)[] {
  const { core, server, providers } = connection;
  const { feed } = providers;
  if (core.isLinked) {
    // The other end knows which of its clients they are for.
    const pass = ({ method, params }: SessionNotification): void =>
      tell(server.notification({ method: LinkKey.NOTICE, params: { method, params } }));
    return [feed?.onNotification?.(pass)].filter((stop) => stop !== undefined);
  }
  const send = ({ method, params }: SessionNotification): void => {
    if (method === COMPLETED && !connection.elicitations.has(params?.["elicitationId"])) return;
    tell(server.notification({ method, ...(params && { params: { ...params } }) }));
  };
  // A server may report a change right after it has created the task, and the answer that names the task takes a little longer.
  const early = new Map<unknown, SessionNotification>();
  const sendState = (note: SessionNotification): void => {
    const taskId = note.params?.["taskId"];
    if (connection.followedTasks.has(taskId)) return send(note);
    early.set(taskId, note);
    if (early.size > MAX_EARLY) early.delete(early.keys().next().value);
  };
  connection.onTaskFollowed = (taskId) => {
    const note = early.get(taskId);
    early.delete(taskId);
    // The answer first.
    if (note) setImmediate(() => send(note));
  };
  const log = ({ level, ...entry }: LogEntry): void => {
    if (isWantedLevel(level, connection.logLevel))
      send({ method: "notifications/message", params: { level, ...entry } });
  };
  const notify = (note: SessionNotification): void =>
    note.method === TASK_STATUS ? sendState(note) : send(note);
  return [feed?.onLog?.(log), feed?.onNotification?.(notify)].filter((stop) => stop !== undefined);
}
