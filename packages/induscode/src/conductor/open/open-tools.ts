import { basename, dirname, join } from "node:path";
import type { ReadStateHandle } from "indusagi/capabilities";
import { userConfigPath } from "indusagi/config";
import { closestNames, escapeForDisplay } from "indusagi/core";
import { clientBox, type ServerConfig } from "indusagi/interop";
import { createTableBox, READ_RESULT, type ToolBox } from "indusagi/runtime";
import type { Run } from "../../boot/internal.ts";
import type { LoadedAddons } from "../../deck/addons/index.ts";
import type { DiskCheckpointStore } from "../../deck/checkpoint/index.ts";
import type { CapabilitySource, SaasGatewayPort } from "../../deck/contract/index.ts";
import type { Invocation } from "../../launch/index.ts";
import { isMountedPattern, ON_REQUEST, type SessionFlags } from "../../launch/internal.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import type { SessionUser, TaskRunner } from "../index.ts";
import type { SessionSandbox } from "./session-sandbox.ts";
import type { SessionSkills } from "./session-skills.ts";

/** The servers of a session, which it leaves to the next one. They close with the run. */
export interface KeptServers {
  readonly configs: readonly ServerConfig[];
  /** Absent with `--no-tools`, and if there is neither a user nor a server. */
  readonly servers?: OpenServers | undefined;
  /** Their tools. */
  readonly source?: CapabilitySource | undefined;
  /** The ids of the connectors among them. */
  readonly connected: readonly string[];
}

export interface KeptServersOptions {
  readonly flags: Pick<SessionFlags, "connectors" | "waitMs">;
  readonly user?: SessionUser | undefined;
  /** Extra servers for this session only. */
  readonly servers?: readonly ServerConfig[] | undefined;
  readonly isOnlyTurn?: boolean | undefined;
  /** Who named the tools, if not the command line. */
  readonly toolsSaidBy: string | undefined;
  /** Servers whose tools are known start after this, unless they are required or a call needs them. */
  readonly startKnownAfter: Promise<void>;
}

/** Finds and opens the servers. Undefined if a source is unusable. */
export async function openKeptServers(
  run: Run,
  { mcp, tools, noTools }: Invocation,
  options: KeptServersOptions,
): Promise<KeptServers | undefined> {
  const { servers: more = [], user, flags, toolsSaidBy } = options;
  const sources = {
    mcp,
    run: [],
    noTools,
    ...(tools.length > 0 && { tools }),
    ...(toolsSaidBy !== undefined && { toolsSaidBy }),
  };
  const { findServers } = await import("../../servers/find/index.ts");
  const found = await findServers(run, sources, { bestEffort: user !== undefined });
  if (!found) return undefined;
  // A server from the editor replaces the folder's server of the same name.
  const own = found.configs.filter(({ id }) => !more.some((server) => server.id === id));
  const configs = noTools ? [] : [...own, ...more];
  const connected = noTools ? [] : await connectorIds(configs, flags.connectors ?? []);
  const isUsed = !noTools && (configs.length > 0 || user !== undefined);
  return { configs, connected, ...(isUsed && (await openMounted(run, configs, options))) };
}

/** In a session of one turn, how long to wait for servers that have never listed their tools. */
const ONLY_TURN_WAIT_MS = 30_000;

/** Offers tools known from an earlier run immediately; a call waits for its server. */
async function openMounted(
  run: Run,
  configs: readonly ServerConfig[],
  { user, flags: { waitMs }, isOnlyTurn = false, startKnownAfter }: KeptServersOptions,
): Promise<Required<Pick<KeptServers, "servers" | "source">>> {
  const [{ openSessionServers }, { bridgeBoxSource }] = await Promise.all([
    import("./open-session-servers.ts"),
    import("../../deck/ledger/index.ts"),
  ]);
  const servers = await openSessionServers(run, configs, {
    offerLastKnown: true,
    startKnownAfter,
    ...(user?.ask && { relays: user.can }),
    waitMs,
    onlyTurnWaitMs: isOnlyTurn ? (waitMs ?? ONLY_TURN_WAIT_MS) : undefined,
  });
  // Hashing and writing would delay the first request. `follow` reports a log that cannot be written.
  void run.state.follow(servers.box, startKnownAfter).catch(() => {});
  // The model of a session shows no apps.
  return { servers, source: bridgeBoxSource(clientBox(servers.box, undefined)) };
}

/** The tools of a session, without a policy around them. */
export interface SessionTools {
  readonly box: ToolBox;
  /** The files that the session's tools have read. */
  readonly readState: ReadStateHandle;
  /** Absent with `--no-tools`. */
  readonly skills: SessionSkills | undefined;
  /** Gives the gateway of `saas-action` the tools behind the policy. */
  readonly connect: ((gated: ToolBox) => void) | undefined;
}

export interface OpenToolsOptions {
  readonly flags: Pick<SessionFlags, "connectors">;
  readonly kept: KeptServers;
  /** The state folder of the workspace. */
  readonly state: string;
  /** The folder for long results. */
  readonly results: string;
  readonly history: DiskCheckpointStore;
  readonly tasks: TaskRunner;
  readonly opening: Promise<SessionSandbox>;
}

/** Opens the deck of a session, with the tools of its servers and the addons. */
export async function openTools(
  run: Run,
  invocation: Invocation,
  options: OpenToolsOptions,
): Promise<SessionTools> {
  const { connected } = options.kept;
  const { createReadState } = await import("indusagi/capabilities");
  const readState = createReadState();
  const connectors = connected.length > 0 ? await lateConnectors(connected) : undefined;
  const skills = invocation.noTools ? undefined : await openSkills(run, options.kept.servers);
  const box = await openBox(run, invocation, { ...options, readState, skills, gateway: connectors?.gateway });
  return { box, readState, skills, connect: connectors?.connect };
}

async function openSkills(run: Run, servers: OpenServers | undefined): Promise<SessionSkills> {
  const { openSessionSkills } = await import("./session-skills.ts");
  return openSessionSkills(run, servers);
}

interface BoxOptions extends OpenToolsOptions {
  readonly skills: SessionSkills | undefined;
  readonly readState: ReadStateHandle;
  /** The gateway of `saas-action`. */
  readonly gateway: SaasGatewayPort | undefined;
}

/** The deck with the tools of the servers, its commands in the sandbox, and the addons around it. */
async function openBox(
  run: Run,
  { tools, noTools }: Pick<Invocation, "tools" | "noTools">,
  { flags, state, results, history, tasks, opening, kept, readState, skills, gateway }: BoxOptions,
): Promise<ToolBox> {
  const [{ createFileMemory }, { capabilityIds }, { openSessionTools }] = await Promise.all([
    import("../../deck/cards/index.ts"),
    import("../../deck/catalog/index.ts"),
    import("../../boot/tools/index.ts"),
  ]);
  const addons = await openAddons(run, noTools);
  // The tools of servers are already filtered.
  const named = tools.filter((word) => !isMountedPattern(word));
  const offered =
    named.length > 0
      ? // The flag asks for the tool as much as --tools does.
        [...named, ...(flags.connectors?.length ? [SAAS_ACTION] : [])]
      : capabilityIds().filter((id) => !ON_REQUEST.includes(id) || (gateway && id === SAAS_ACTION));
  const deck = await openSessionTools(
    run,
    { tools: offered, noTools },
    {
      framework: {
        readState,
        checkpoint: history,
        delegate: tasks.runner,
        memory: createFileMemory(join(state, "memory.md")),
        ...(gateway && { saas: gateway }),
      },
      outputPlace: { folder: results, howToRead },
      ...(skills && { readable: skills.folders }),
      ...(kept.source && { mcp: kept.source }),
      extras: addons.tools,
    },
  );
  // With --tools the user has said which tools there are.
  if (deck && skills && named.length === 0) deck.graft(skills.reader);
  const { wrap } = await opening;
  deck?.mapCapabilities(wrap);
  return deck ? addons.around(deck.intoToolBox()) : createTableBox().box;
}

/** The addons of the user. A project has none: its code would run unasked. */
async function openAddons({ env, report }: Run, noTools: boolean): Promise<LoadedAddons> {
  const config = userConfigPath({ env });
  if (noTools || config === undefined) return { tools: [], around: (box) => box };
  const { loadAddons } = await import("../../deck/addons/index.ts");
  return loadAddons(join(dirname(config), "addons"), report);
}

/** Shown with long results of other tools: `read_result` takes the name of the file as its id. */
function howToRead(path: string): string {
  return `${READ_RESULT} with {"id":"${basename(path, ".txt")}"} reads it in parts, and with "search" finds lines; read and grep take the path`;
}

const SAAS_ACTION = "saas-action";

/** The servers that `--connectors` names, and those whose rows say so. Throws if the flag names one that cannot be used. */
async function connectorIds(
  configs: readonly ServerConfig[],
  named: readonly string[],
): Promise<readonly string[]> {
  const ids = configs.map(({ id }) => id);
  for (const name of named) {
    const config = configs.find(({ id }) => id === name);
    if (config?.pending)
      throw new Error(
        `--connectors: server "${name}" is not approved; to approve it, run: indus mcp trust ${name}`,
      );
    if (config && config.enabled !== false) continue;
    const shown = escapeForDisplay(name);
    if (config)
      throw new Error(`--connectors: server "${shown}" is disabled; run: indus mcp enable ${shown}`);
    const [nearest] = await closestNames(name, ids);
    const hint = nearest === undefined ? "indus mcp list shows the servers" : `did you mean ${nearest}?`;
    throw new Error(`--connectors: there is no server "${shown}"; ${hint}`);
  }
  const marked = configs.filter(
    ({ connectors, pending, enabled }) => connectors && !pending && enabled !== false,
  );
  return [...new Set([...named, ...marked.map(({ id }) => id)])];
}

interface Connectors {
  readonly gateway: SaasGatewayPort;
  readonly connect: (gated: ToolBox) => void;
}

/**
 * Runs actions of these servers through the session's own tools, which are there only after the deck: so rules, approvals, plan
 * mode and pins apply to the real tool.
 */
async function lateConnectors(servers: readonly string[]): Promise<Connectors> {
  const { mcpSaasGateway } = await import("../../deck/cards/index.ts");
  let opened: SaasGatewayPort | undefined;
  const gateway = (): SaasGatewayPort => {
    if (!opened) throw new Error("the session is not open yet");
    return opened;
  };
  return {
    gateway: {
      decidesCalls: true,
      discover: async (...query) => gateway().discover(...query),
      execute: async (...action) => gateway().execute(...action),
    },
    connect: (gated) => {
      opened = mcpSaasGateway(gated, servers);
    },
  };
}
