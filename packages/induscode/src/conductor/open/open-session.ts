import { mkdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { userConfigPath } from "indusagi/config";
import {
  closestNames,
  describeError,
  escapeForDisplay,
  isoTime,
  mintUlid,
  Redactor,
  secretValues,
  systemClock,
  tryFileLock,
} from "indusagi/core";
import type { ServerConfig } from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import { createTableBox, READ_RESULT, type ToolBox } from "indusagi/runtime";
import type { Run } from "../../boot/internal.ts";
import type { LoadedAddons } from "../../deck/addons/index.ts";
import {
  CheckpointError,
  type DiskCheckpointStore,
  openCheckpointStore,
  type Recovery,
} from "../../deck/checkpoint/index.ts";
import type { SaasGatewayPort } from "../../deck/contract/index.ts";
import type { Invocation } from "../../launch/index.ts";
import { isMountedPattern, type SessionFlags } from "../../launch/internal.ts";
import type { Policy, PolicyMode } from "../../policy/index.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import {
  findSession,
  type ReadTranscript,
  readTranscript,
  resultFolder,
  type Session,
  SessionError,
  type SessionParts,
  type SessionUser,
  type TaskRunner,
} from "../index.ts";
import { NO_MODEL, sessionModels } from "./chosen-model.ts";
import { openSessionSandbox, type SessionSandbox } from "./session-sandbox.ts";
import { sessionSettings } from "./session-settings.ts";
import type { SessionSkills } from "./session-skills.ts";
import { ON_REQUEST } from "./settings.ts";

export interface OpenSessionOptions {
  readonly flags: SessionFlags;
  /** Answers the session's questions. Absent: whatever needs approval is refused. */
  readonly user?: SessionUser | undefined;
  /** Extra servers for this session only. */
  readonly servers?: readonly ServerConfig[] | undefined;
  /** There is only one turn, which late servers cannot join. Default: they join between turns. */
  readonly isOnlyTurn?: boolean | undefined;
}

/** An open session. Closes with its run. */
export interface OpenedSession {
  readonly session: Session;
  /** Absent with `--no-tools`, and if there is neither a user nor a server. */
  readonly servers?: OpenServers | undefined;
}

/**
 * Opens a session with a model: its servers, its tools behind a policy, its transcript and its checkpoints. If a source of
 * servers is unusable, reports that and returns undefined. Throws, with the fix, if anything else is unusable.
 */
export async function openSession(
  run: Run,
  given: Invocation,
  asked: OpenSessionOptions,
): Promise<OpenedSession | undefined> {
  const readSettings = await sessionSettings(run, given, asked.flags);
  const { path: state } = await run.state.folder();
  const folder = await openSessionFolder(state, given);
  run.defer(() => folder.release());
  for (const problem of folder.earlier?.problems ?? []) run.report(problem);
  const settings = readSettings(folder.earlier?.state);
  const invocation = { ...given, tools: settings.tools.map(({ value }) => value) };
  const flags = {
    ...asked.flags,
    mode: settings.mode.value,
    allow: settings.allow.map(({ value }) => value),
    deny: settings.deny.map(({ value }) => value),
  };
  const options = { ...asked, flags };
  const model = await openModels(run, invocation, settings.model?.value);
  const history = await openFileHistory({
    state,
    cwd: run.cwd,
    session: folder.earlier?.state.checkpoints,
    report: run.report,
  });
  run.defer(() => history.close());
  // In parallel with the servers: it starts a program to test the sandbox.
  const opening = openSessionSandbox(run, options.flags.sandbox, invocation);
  opening.catch(() => {});
  const { createSession, createTaskRunner, openRuleFile } = await import("../index.ts");
  const tasks = createTaskRunner();
  const toolsSaidBy = settings.tools[0]?.source === "project" ? ".indusvx/settings.json" : undefined;
  const tools = await openTools(run, invocation, {
    ...options,
    state,
    folder,
    history,
    tasks,
    opening,
    toolsSaidBy,
  });
  if (!tools) return undefined;
  const rules = openRuleFile(join(state, "rules.json"), run.report);
  const policies = await openPolicies(run, {
    ...options,
    kept: rules.list(),
    tools,
    readable: [resultFolder(folder.path), ...(tools.skills?.folders ?? [])],
  });
  const { NO_SERVERS, ownToolNames, reportPatterns, ruleUses } = await import("../../servers/open/index.ts");
  // Only the rules of the command line: those of files hold for many folders, and need not match in each.
  const uses = ruleUses(asked.flags);
  const own = (): readonly string[] => ownToolNames(tools.box);
  run.defer(reportPatterns(tools.servers ?? NO_SERVERS, { uses: () => uses, own, report: run.report }));
  const { onPermitted, problem } = await opening;
  const isStrict = options.flags.sandbox === "on";
  if (problem !== undefined && !options.user && isStrict) run.report(problem);
  const facts = { mode: policies.policy.mode, isHeadless: !options.user, tasks };
  const session = createSession({
    cwd: run.cwd,
    box: tools.box,
    history,
    rules,
    tasks,
    ...model,
    ...policies,
    ...(await folderParts(run, folder, { configs: tools.configs, history })),
    autoCompact: !options.flags.noCompact,
    brief: await briefing(run, invocation, { ...facts, skills: tools.skills }),
    ...(onPermitted && { onPermitted }),
    ...(tools.connectors && { onGated: tools.connectors.connect }),
    // In bypass mode commands run outside anyway.
    ...(problem !== undefined && (isStrict || facts.mode !== "bypass") && { sandboxProblem: problem }),
    ...(options.user && { user: options.user }),
    ...(invocation.thinking && { thinking: invocation.thinking }),
  });
  run.defer(() => session.close());
  return { session, servers: tools.servers };
}

/** The folder of one session, locked against other processes. */
interface SessionFolder {
  readonly id: string;
  readonly path: string;
  /** The transcript so far, if the session is continued. */
  readonly earlier?: ReadTranscript;
  release(): Promise<void>;
}

/** Creates the folder of a new session, or opens that of `--continue` or `--resume`. Throws if it cannot be used. */
async function openSessionFolder(
  state: string,
  { resume, continue: isContinued }: Invocation,
): Promise<SessionFolder> {
  const folder = join(state, "sessions");
  if (resume === undefined && !isContinued) {
    const id = mintUlid();
    const path = join(folder, id);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return { id, path, ...(await lockSession(folder, id)) };
  }
  const { id, folder: path } = findSession(folder, resume);
  const lock = await lockSession(folder, id);
  try {
    return { id, path, earlier: readTranscript(path), ...lock };
  } catch (thrown) {
    await lock.release();
    throw thrown;
  }
}

/** The lock is next to the folder, because the folder may be removed at the end. */
async function lockSession(folder: string, id: string): Promise<Pick<SessionFolder, "release">> {
  const lock = await tryFileLock({ folder, name: id });
  if ("release" in lock) return { release: () => lock.release() };
  const holder = lock.reason === "held" ? `process ${lock.pid}` : "another process";
  throw new SessionError(
    "in_use",
    `session ${id} is in use by ${holder}; close it first, or start a new session`,
  );
}

/** The model and its name. Fails on a wrong name, key or setting before servers are started. */
async function openModels(
  { env }: Run,
  invocation: Invocation,
  model: string | undefined,
): Promise<Pick<SessionParts, "model" | "models">> {
  if (model === undefined) throw new Error(NO_MODEL);
  const models = await sessionModels(invocation, env);
  models.open(model, () => {});
  models.windowTokens(model);
  return { model, models };
}

interface FileHistoryOptions {
  /** The state folder of the workspace. */
  readonly state: string;
  readonly cwd: string;
  /** The checkpoint session of the session that is continued. */
  readonly session?: string | undefined;
  readonly report: (message: string) => void;
}

/** Opens the checkpoint store of a session: that of the continued session if it still exists. */
export async function openFileHistory({
  state,
  cwd,
  session,
  report,
}: FileHistoryOptions): Promise<DiskCheckpointStore> {
  const folder = join(state, "checkpoints");
  const workspace = realpathSync(cwd);
  const { heldNames } = await import("../../policy/sandbox/index.ts");
  const place = { roots: [workspace], ignored: heldNames };
  const withRecoveries = (store: DiskCheckpointStore): DiskCheckpointStore => {
    for (const line of store.recoveries.map((recovery) => describeRecovery(recovery, workspace)))
      if (line !== undefined) report(line);
    return store;
  };
  if (session !== undefined) {
    try {
      return withRecoveries(await openCheckpointStore(folder, { ...place, session }));
    } catch (thrown) {
      if (!(thrown instanceof CheckpointError)) throw thrown;
      if (thrown.kind === "locked") throw new SessionError("in_use", thrown.message, { cause: thrown });
      // A session that changed no file has no store.
      if (thrown.kind !== "not_found")
        report(`earlier file changes cannot be undone: ${describeError(thrown)}`);
    }
  }
  return withRecoveries(await openCheckpointStore(folder, place));
}

/** How many paths a report names. */
const MAX_NAMED = 5;

/** One line about what an interrupted rewind left undone. Undefined: nothing. */
function describeRecovery(recovery: Recovery, cwd: string): string | undefined {
  if (recovery.state === "failed")
    return `an interrupted rewind could not be finished; the next start tries again: ${recovery.message}`;
  const { left } = recovery;
  if (left.length === 0) return undefined;
  const names = left.slice(0, MAX_NAMED).map((path) => escapeForDisplay(relative(cwd, path)));
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : "";
  return `an interrupted rewind was finished, except for files that have changed since or whose content is lost: ${names.join(", ")}${more}`;
}

interface SessionTools {
  readonly box: ToolBox;
  readonly configs: readonly ServerConfig[];
  readonly servers: OpenServers | undefined;
  readonly connectors: Connectors | undefined;
  /** Absent with `--no-tools`. */
  readonly skills: SessionSkills | undefined;
}

interface ToolOptions extends OpenSessionOptions {
  readonly state: string;
  readonly folder: SessionFolder;
  readonly history: DiskCheckpointStore;
  readonly tasks: TaskRunner;
  readonly opening: Promise<SessionSandbox>;
  readonly toolsSaidBy: string | undefined;
}

/** The deck and the servers. Undefined if a source is unusable. */
async function openTools(
  run: Run,
  { mcp, tools, noTools }: Invocation,
  { servers: more = [], state, folder, history, tasks, opening, toolsSaidBy, ...options }: ToolOptions,
): Promise<SessionTools | undefined> {
  const sources = {
    mcp,
    run: [],
    noTools,
    ...(tools.length > 0 && { tools }),
    ...(toolsSaidBy !== undefined && { toolsSaidBy }),
  };
  const { user } = options;
  const { findServers } = await import("../../servers/find/index.ts");
  const found = await findServers(run, sources, { bestEffort: user !== undefined });
  if (!found) return undefined;
  // A server from the editor replaces the folder's server of the same name.
  const own = found.configs.filter(({ id }) => !more.some((server) => server.id === id));
  const configs = noTools ? [] : [...own, ...more];
  const connected = noTools ? [] : await connectorIds(configs, options.flags.connectors ?? []);
  const isUsed = !noTools && (configs.length > 0 || user !== undefined);
  const mounted = isUsed ? await openMounted(run, configs, options) : undefined;
  const [{ createFileMemory, mcpSaasGateway }, { capabilityIds }, { openSessionTools }] = await Promise.all([
    import("../../deck/cards/index.ts"),
    import("../../deck/catalog/index.ts"),
    import("../../boot/tools/index.ts"),
  ]);
  const addons = await openAddons(run, noTools);
  // The tools of servers are already filtered.
  const named = tools.filter((word) => !isMountedPattern(word));
  const connectors =
    connected.length > 0 ? lateConnectors((box) => mcpSaasGateway(box, connected)) : undefined;
  const offered =
    named.length > 0
      ? // The flag asks for the tool as much as --tools does.
        [...named, ...(options.flags.connectors?.length ? [SAAS_ACTION] : [])]
      : capabilityIds().filter((id) => !ON_REQUEST.includes(id) || (connectors && id === SAAS_ACTION));
  const skills = noTools ? undefined : await openSkills(run, mounted?.servers);
  const deck = await openSessionTools(
    run,
    { tools: offered, noTools },
    {
      framework: {
        checkpoint: history,
        delegate: tasks.runner,
        memory: createFileMemory(join(state, "memory.md")),
        ...(connectors && { saas: connectors.gateway }),
      },
      outputPlace: { folder: resultFolder(folder.path), howToRead },
      ...(skills && { readable: skills.folders }),
      ...(mounted && { mcp: mounted.bridge }),
      extras: addons.tools,
    },
  );
  // With --tools the user has said which tools there are.
  if (deck && skills && named.length === 0) deck.graft(skills.reader);
  const { wrap } = await opening;
  deck?.mapCapabilities(wrap);
  const box = deck ? addons.around(deck.intoToolBox()) : createTableBox().box;
  return { box, configs, servers: mounted?.servers, connectors, skills };
}

async function openSkills(run: Run, servers: OpenServers | undefined): Promise<SessionSkills> {
  const { openSessionSkills } = await import("./session-skills.ts");
  return openSessionSkills(run, servers);
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
 * Runs actions through the session's own tools, which are there only after the deck: so rules, approvals, plan mode and pins
 * apply to the real tool.
 */
function lateConnectors(open: (gated: ToolBox) => SaasGatewayPort): Connectors {
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
      opened = open(gated);
    },
  };
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

/** In a session of one turn, how long to wait for servers that have never listed their tools. */
const ONLY_TURN_WAIT_MS = 30_000;

/** Offers tools known from an earlier run immediately; a call waits for its server. */
async function openMounted(
  run: Run,
  configs: readonly ServerConfig[],
  { user, flags: { waitMs }, isOnlyTurn = false }: OpenSessionOptions,
) {
  const { openSessionServers } = await import("./open-session-servers.ts");
  return openSessionServers(run, configs, {
    offerLastKnown: true,
    ...(user?.ask && { relays: user.can }),
    waitMs,
    onlyTurnWaitMs: isOnlyTurn ? (waitMs ?? ONLY_TURN_WAIT_MS) : undefined,
  });
}

/** Allowed without approval: the to-do lists, and sub-agents, whose own calls are decided one by one. */
const ALLOWED = ["todo_set", "todo", "task"];
/** Without a user, also the tools of servers: each server was approved. */
const ALLOWED_HEADLESS = [...ALLOWED, "*__*"];

interface PolicyParts extends OpenSessionOptions {
  readonly kept: readonly string[];
  readonly tools: SessionTools;
  /** Folders that read-only tools may use without approval. */
  readonly readable: readonly string[];
}

async function openPolicies(
  run: Run,
  { flags, user, kept, readable, tools: { servers, configs } }: PolicyParts,
): Promise<{ readonly policy: Policy; readonly readOnlyPolicy: Policy }> {
  const [{ createPolicy }, { usedEffect }] = await Promise.all([
    import("../../policy/index.ts"),
    import("../../deck/provision/internal.ts"),
  ]);
  const approved = configs.filter(({ pending }) => !pending).map(({ id }) => id);
  const options = {
    cwd: run.cwd,
    effectOf: usedEffect,
    isApproved: () => true, // Only approved servers are started.
    servers: () => servers?.approved() ?? approved,
    allow: [...(user ? ALLOWED : ALLOWED_HEADLESS), ...kept, ...flags.allow],
    deny: flags.deny,
    readable,
    places: { env: run.env },
  };
  return {
    policy: createPolicy({ ...options, mode: flags.mode ?? "default" }),
    readOnlyPolicy: createPolicy({ ...options, mode: "plan" }),
  };
}

/** What a session keeps in its folder, without the secrets of its servers. */
async function folderParts(
  { signal }: Run,
  { id, path, earlier }: SessionFolder,
  { configs, history }: { readonly configs: readonly ServerConfig[]; readonly history: DiskCheckpointStore },
): Promise<
  Pick<SessionParts, "id" | "folder" | "redact" | "writePlan" | "snapshots"> &
    Partial<Pick<SessionParts, "earlier">>
> {
  const [{ writePlan }, { openTreeSnapshots }] = await Promise.all([
    import("../../deck/cards/index.ts"),
    import("../index.ts"),
  ]);
  const secrets = configs.flatMap((config) => secretValues(config));
  const redactor = new Redactor(secrets);
  return {
    id,
    folder: path,
    redact: secrets.length === 0 ? (text) => text : (text) => redactor.known(text),
    writePlan: (plan) => writePlan(path, plan),
    snapshots: openTreeSnapshots({ history, signal }),
    ...(earlier && { earlier }),
  };
}

/** Reads the project's files once, so the prompt is the same in every turn. */
async function briefing(
  run: Run,
  { system, appendSystem }: Invocation,
  {
    tasks,
    skills,
    ...facts
  }: {
    readonly mode: PolicyMode;
    readonly isHeadless: boolean;
    readonly tasks: TaskRunner;
    readonly skills: SessionSkills | undefined;
  },
): Promise<(tools: readonly ToolDescriptor[]) => string> {
  const { composeBriefing, readProjectContext } = await import("../../briefing/index.ts");
  const { files, problems } =
    system === undefined ? readProjectContext(run.cwd) : { files: [], problems: [] };
  for (const problem of problems) run.report(problem);
  const date = isoTime(systemClock.nowMs()).slice(0, 10);
  return (tools) =>
    composeBriefing({
      ...facts,
      tools,
      agents: tasks.runner.listAgents(),
      context: files,
      skills: skills?.list() ?? [],
      cwd: run.cwd,
      platform: process.platform,
      date,
      ...(system === undefined ? {} : { system }),
      ...(appendSystem === undefined ? {} : { append: appendSystem }),
    });
}
