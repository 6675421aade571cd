import type { Caller, ClientInfo, Questions, ToolBox } from "../../../runtime/index.ts";
import {
  extensionsIn,
  isForwardableExtension,
  isRelayedExtension,
  mergeExtensions,
  pickExtensions,
  taskKindIn,
  withoutEnvelope,
} from "../../content/index.ts";
import {
  type ClashRecord,
  type ConnectedClient,
  Extension,
  type Extensions,
  type ForwardedRequest,
  type HostProviders,
  type ItemKind,
  type ProviderRequest,
  type ProviderSource,
  type RawResult,
  type Relay,
  type ServerFleet,
} from "../../contract/index.ts";
import type { ResourceRef } from "../../naming/index.ts";
import { clientProviders } from "../client-providers.ts";
import { createRelay } from "../create-relay.ts";
import { ItemLists, type LastKnownItems } from "../item-lists.ts";
import { ListHints } from "../list-hints.ts";
import { type DeclaredCapabilities, declaredNow } from "../missing-capability.ts";
import { renameInQuestions } from "../names/rename-uris.ts";
import { createClashRecord, ResourceNames } from "../names/resource-names.ts";
import { TaskHandles } from "../names/task-handles.ts";
import { type InstructionTexts, withInstructionResources } from "../offer-instructions.ts";
import { SkillLists } from "../skill-lists.ts";
import { completeArgument, mayComplete } from "./complete-argument.ts";
import { promptProvider } from "./prompt-provider.ts";
import { passedOn, passOn, type RelayParts } from "./relay-parts.ts";
import { isInScope, type RelayScope } from "./relay-scope.ts";
import { relayedBox } from "./relayed-box.ts";
import { locate, resourceProvider } from "./resource-provider.ts";
import { OwnSkills, type PublishedSkills, skillProvider, skillsFor } from "./skill-provider.ts";
import { taskProvider } from "./task-provider.ts";

export interface RelayFleetOptions {
  /** How the servers are read. Default: everything as they send it. */
  readonly relay?: Relay;
  /** What a server listed in an earlier run; offered until it is listed in this one. */
  readonly lastKnown?: LastKnownItems;
  /** The URIs that stay namespaced. Default: a record in memory. */
  readonly clashes?: ClashRecord;
  /**
   * Name the server in each link to a resource that no list and no template has. For clients whose next request another process may
   * serve, which does not know the links that this one handed out. Default: no.
   */
  readonly namesLinks?: boolean;
  /** How long a list waits for servers whose items are not known. Default 5 s. */
  readonly patienceMs?: (client: ClientInfo | undefined) => number;
  /** What the servers declared, even before they run in this process. Default: what they declared on their connections. */
  readonly declared?: () => DeclaredCapabilities;
  /** 32 secret bytes that seal the ids of tasks, asked for once. If they outlive the process, so do the ids. Default: random ones. */
  readonly taskKey?: (() => Uint8Array) | undefined;
  /**
   * Seal the ids of tasks. False for clients that are gateways of ours, on the routes of single servers: they seal them for their own
   * clients, and know a task by the same id when another process owns its server. Default: yes.
   */
  readonly sealsTasks?: boolean;
  /** The longest prompt name. Default 64. */
  readonly nameLimit?: number;
  /** Called before each request; it waits until the servers of the fleet are known. */
  readonly begun?: () => Promise<void>;
  /** The instructions of the servers, each offered as a resource. Default: none. */
  readonly instructions?: InstructionTexts;
  /** Skills to publish next to those of the servers, such as those of `skillsFolder`. Default: none. */
  readonly skills?: PublishedSkills;
  /** Called with problems that no client is told about, one line each. */
  readonly report?: (message: string) => void;
}

/**
 * The extensions that the servers in a scope declared, cut to those we can route: on the route of one server any extension, for
 * several servers only those whose methods and names we know.
 */
function advertisedExtensions(
  declared: DeclaredCapabilities,
  { only }: RelayScope,
  keeps: (server: string) => boolean,
): Extensions | undefined {
  const routes = only === undefined ? isRelayedExtension : isForwardableExtension;
  const all = [...declared].flatMap(([server, capabilities]) =>
    keeps(server) ? [offeredExtensions(capabilities)] : [],
  );
  const merged = mergeExtensions(all);
  return merged && pickExtensions(merged, routes);
}

/** What a server declared. Tasks of the legacy era are offered as those of the extension: the host knows the era of its client. */
function offeredExtensions(capabilities: unknown): Extensions {
  const declared = extensionsIn(capabilities) ?? {};
  return taskKindIn(capabilities) ? { ...declared, [Extension.TASKS]: {} } : declared;
}

/** The methods of the protocol itself, and of extensions that we route ourselves. They are never passed on as they are. */
const OWN_METHOD =
  /^(?:initialize|ping|(?:tools|resources|prompts|completion|logging|server|subscriptions|tasks|skills|elicitation|sampling|roots|notifications)\/.*)$/;

/** Sends a request of an unknown extension to the one server that it belongs to. Undefined if there is none. */
function forwardRequest(
  parts: RelayParts,
  scope: RelayScope,
  asked: ForwardedRequest,
  request: ProviderRequest,
): Promise<RawResult> | undefined {
  const { method } = asked;
  const server = OWN_METHOD.test(method) ? undefined : scope.forwards?.(method, request.caller);
  if (server === undefined || !isInScope(scope, server, request.caller)) return undefined;
  const send = async (): Promise<RawResult> => {
    await parts.begun();
    const sending = parts.relay.forward(server, asked, passedOn(parts, { scope, server }, request));
    return withoutEnvelope(await passOn(sending, request.caller));
  };
  return send();
}

/** Everything of a fleet that is not a tool call, for the clients of a host. */
export interface FleetRelay {
  /** What a host offers besides the tools. The providers of a scope are made once. */
  providers(
    scope?: RelayScope,
  ): Required<Pick<HostProviders, "resources" | "prompts" | "complete" | "toolHint">>;
  /** The same for each client, with what its servers report outside of calls: updates, log messages, changed lists. */
  clientProviders(scope?: RelayScope): ProviderSource;
  /** The tools of the fleet, with the names of resources in their definitions and results as clients read them. */
  relayedBox(box: ToolBox): ToolBox;
  /** The server of a client's URI, and the URI it has there. Rejects with the answer for the client if it is ambiguous. */
  locate(uri: string, request: ProviderRequest, scope?: RelayScope): Promise<ResourceRef>;
  /** The URI of a server's resource as clients see it. */
  shownUri(ref: ResourceRef): string;
  /** The questions of a server that a client gets outside of its calls, with the URIs as it reads them. */
  readonly shownQuestions: (server: string, questions: Questions, client: ConnectedClient) => Questions;
  /** The review of a list has changed: clients are notified. */
  reviewed(server: string, kind: ItemKind): void;
}

const PATIENCE_MS = 5_000;
const MAX_NAME_CHARS = 64;

/**
 * Relays resources, templates, prompts and completion of a fleet. Servers start and end while clients are connected, so lists
 * are requested when a client wants them.
 */
export function relayFleet(fleet: ServerFleet, options: RelayFleetOptions = {}): FleetRelay {
  const relay = options.relay ?? createRelay(fleet);
  const declared = options.declared ?? (() => declaredNow(fleet));
  const { lastKnown, report } = options;
  const lists = new ItemLists(fleet, { relay, lastKnown, declared, report });
  const classOf = lists.classOf.bind(lists);
  const skills = new SkillLists(fleet, { relay, declared, classOf, report });
  const own = options.skills && new OwnSkills(options.skills);
  const record = options.clashes ?? createClashRecord();
  const names = new ResourceNames({ lists, skills, record, ours: own, namesLinks: options.namesLinks });
  const parts: RelayParts = {
    fleet,
    relay,
    lists,
    skills,
    names,
    hints: new ListHints(fleet, lists),
    nameLimit: options.nameLimit ?? MAX_NAME_CHARS,
    begun: options.begun ?? (async () => {}),
    patienceMs: options.patienceMs ?? (() => PATIENCE_MS),
  };
  const handles = options.sealsTasks === false ? undefined : new TaskHandles(options.taskKey);
  const providers: FleetRelay["providers"] = (scope = {}) => ({
    resources: resourceProvider(parts, scope),
    prompts: promptProvider(parts, scope),
    complete: (completion, request) => completeArgument(parts, scope, completion, request),
    toolHint: (caller) => parts.hints.tools(scope, caller),
  });
  return {
    providers,
    clientProviders: (scope = {}) => {
      const { resources, prompts, toolHint } = providers(scope);
      const { instructions } = options;
      // The route of one server shows what it has, and nothing else.
      const isUnchanged = instructions === undefined || scope.only !== undefined;
      const keeps = (server: string, caller: Caller): boolean => isInScope(scope, server, caller);
      const withTexts = isUnchanged ? resources : withInstructionResources(resources, instructions, keeps);
      const offered = own && scope.only === undefined ? own.withFiles(withTexts) : withTexts;
      const offeredSkills = skillProvider(parts, scope, own);
      const { directory: _, ...withoutFolders } = offeredSkills;
      return clientProviders({
        fleet,
        scope,
        completes: (caller) => mayComplete(declared(), (server) => keeps(server, caller)),
        extensions: (caller) => advertisedExtensions(declared(), scope, (server) => keeps(server, caller)),
        shared: { prompts, resources: offered, toolHint },
        complete: (completion, request) => completeArgument(parts, scope, completion, request),
        skillsOf: (caller) => {
          const can = skillsFor(parts, { scope, own }, caller);
          return can && (can.directoryRead ? offeredSkills : withoutFolders);
        },
        tasks: taskProvider(parts, { scope, handles, declared }),
        forward: (method, params, request) => forwardRequest(parts, scope, { method, params }, request),
        locate: (uri, request) => locate(parts, scope, uri, request),
      });
    },
    relayedBox: (box) => relayedBox(box, names),
    locate: (uri, request, scope = {}) => locate(parts, scope, uri, request),
    shownUri: ({ server, uri }) => names.shown(server, uri),
    shownQuestions: (server, questions, client) =>
      renameInQuestions(questions, names.inResults(server, client)),
    reviewed: (server, kind) => lists.reviewed(server, kind),
  };
}
