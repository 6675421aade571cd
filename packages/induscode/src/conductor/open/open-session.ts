import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { describeError, escapeForDisplay, isoTime, Redactor, secretValues, systemClock } from "indusagi/core";
import type { ServerConfig } from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import { createCloseStack, type Run } from "../../boot/internal.ts";
import {
  CheckpointError,
  type DiskCheckpointStore,
  openCheckpointStore,
  type Recovery,
} from "../../deck/checkpoint/index.ts";
import type { Invocation } from "../../launch/index.ts";
import { CODE_MODE, type SessionFlags } from "../../launch/internal.ts";
import type { Policy, PolicyMode } from "../../policy/index.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import {
  resultFolder,
  type Session,
  SessionError,
  type SessionParts,
  type SessionUser,
  type TaskRunner,
} from "../index.ts";
import { NoModelError, sessionModels } from "./chosen-model.ts";
import { type KeptServers, openKeptServers, openTools, type SessionTools } from "./open-tools.ts";
import { checkpointsIn, openSessionFolder, type SessionFolder } from "./session-folder.ts";
import { openSessionSandbox } from "./session-sandbox.ts";
import type { SessionSkills } from "./session-skills.ts";
import { sessionSettings } from "./settings.ts";

export interface OpenSessionOptions {
  readonly flags: SessionFlags;
  /** Answers the session's questions. Absent: whatever needs approval is refused. */
  readonly user?: SessionUser | undefined;
  /** Extra servers for this session only. */
  readonly servers?: readonly ServerConfig[] | undefined;
  /** There is only one turn, which late servers cannot join. Default: they join between turns. */
  readonly isOnlyTurn?: boolean | undefined;
}

/** Which session takes the place of an open one: a new one, or an earlier one by its id. */
export type NextSession = "new" | { readonly resume: string };

/** An open session. Closes with its run. */
export interface OpenedSession {
  readonly session: Session;
  /** Absent with `--no-tools`, and if there is neither a user nor a server. */
  readonly servers?: OpenServers | undefined;
  /**
   * Opens another session with the same servers, and then closes this one. A new one gets the current model and mode; an earlier
   * one has its own. If the other one cannot be opened, rejects, and this one stays open. Only between turns.
   */
  next(which: NextSession): Promise<OpenedSession>;
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
  return openOne(run, given, asked);
}

interface OneSessionOptions extends OpenSessionOptions {
  /** The servers of the session before this one. Absent: they are opened. */
  readonly kept?: KeptServers | undefined;
}

/** Everything but the servers closes with the session, so that another one can take its place. */
async function openOne(
  run: Run,
  given: Invocation,
  asked: OneSessionOptions,
): Promise<OpenedSession | undefined> {
  const own: Run = { ...run, ...createCloseStack() };
  let opened: Awaited<ReturnType<typeof openParts>>;
  try {
    opened = await openParts(own, given, { ...asked, outer: run });
  } finally {
    if (!opened) await own[Symbol.asyncDispose]();
  }
  if (!opened) return undefined;
  // After the servers, to close before them.
  run.defer(async () => own[Symbol.asyncDispose]());
  const { session, kept } = opened;
  return {
    session,
    servers: kept.servers,
    next: async (which) => {
      const { resume: _resume, ...line } = { ...given, continue: false };
      const isNew = which === "new";
      const current = { mode: session.mode, noCompact: !session.autoCompact };
      const next = await openOne(
        run,
        isNew ? { ...line, model: session.model } : { ...line, resume: which.resume },
        { ...asked, kept, ...(isNew && { flags: { ...asked.flags, ...current } }) },
      );
      if (!next) throw new Error("the session could not be opened");
      await own[Symbol.asyncDispose]();
      return next;
    },
  };
}

interface PartOptions extends OneSessionOptions {
  /** The run of all sessions, with which the servers close. */
  readonly outer: Run;
}

async function openParts(
  run: Run,
  given: Invocation,
  asked: PartOptions,
): Promise<{ readonly session: Session; readonly kept: KeptServers } | undefined> {
  const readSettings = await sessionSettings(run, given, asked.flags);
  const { path: state } = await run.state.folder();
  const folder = await openSessionFolder(state, given);
  run.defer(() => folder.release());
  for (const problem of folder.earlier?.problems ?? []) run.report(problem);
  const settings = readSettings(folder.earlier?.state);
  const words = settings.tools.map(({ value }) => value);
  const invocation = { ...given, tools: words.filter((word) => word !== CODE_MODE) };
  const flags = {
    ...asked.flags,
    mode: settings.mode.value,
    allow: settings.allow.map(({ value }) => value),
    deny: settings.deny.map(({ value }) => value),
  };
  const options = { ...asked, flags };
  const model = await openModels(run, invocation, settings.model?.value);
  const toolsSaidBy = settings.tools[0]?.source === "project" ? ".indusvx/settings.json" : undefined;
  let startKnown = (): void => {};
  const startKnownAfter = new Promise<void>((resolve) => (startKnown = resolve));
  // In parallel with the history, which waits for the disk.
  const keeping = asked.kept
    ? Promise.resolve(asked.kept)
    : openKeptServers(asked.outer, invocation, { ...options, toolsSaidBy, startKnownAfter });
  keeping.catch(() => {});
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
  const kept = await keeping;
  if (!kept) return undefined;
  const tools = await openTools(run, invocation, {
    flags,
    kept,
    state,
    results: resultFolder(folder.path),
    history,
    tasks,
    opening,
  });
  const rules = openRuleFile(join(state, "rules.json"), run.report);
  const policies = await openPolicies(run, {
    flags,
    user: asked.user,
    rules: rules.list(),
    servers: kept,
    readable: [resultFolder(folder.path), ...(tools.skills?.folders ?? [])],
  });
  if (!asked.kept) await reportRules(run, { ...tools, kept }, asked.flags);
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
    readState: tools.readState,
    ...(await folderParts(run, folder, { configs: kept.configs, history })),
    autoCompact: !options.flags.noCompact,
    brief: await briefing(run, invocation, { ...facts, skills: tools.skills }),
    ...(onPermitted && { onPermitted }),
    ...(tools.connect && { onGated: tools.connect }),
    // In bypass mode commands run outside anyway.
    ...(problem !== undefined && (isStrict || facts.mode !== "bypass") && { sandboxProblem: problem }),
    isNext: asked.kept !== undefined,
    hasCodeMode: words.includes(CODE_MODE),
    ...(options.user && { user: options.user }),
    ...(invocation.thinking && { thinking: invocation.thinking }),
  });
  run.defer(() => session.close());
  setTimeout(startKnown, KNOWN_START_MS).unref();
  return { session, kept };
}

/** Starting processes would delay the first request and the first prompt of an open session. */
const KNOWN_START_MS = 1_000;

/** Reports the rules that match no tool. Only those of the command line: the files' rules hold for many folders. */
async function reportRules(
  run: Run,
  { box, kept }: Pick<SessionTools, "box"> & { readonly kept: KeptServers },
  flags: SessionFlags,
): Promise<void> {
  const { NO_SERVERS, ownToolNames, reportPatterns, ruleUses } = await import("../../servers/open/index.ts");
  const uses = ruleUses(flags);
  const own = (): readonly string[] => ownToolNames(box);
  const servers = kept.servers ?? NO_SERVERS;
  run.defer(reportPatterns(servers, { uses: () => uses, own, report: run.report }));
}

/** The model and its name. Fails on a wrong name, key or setting before servers are started. */
async function openModels(
  { env }: Run,
  invocation: Invocation,
  model: string | undefined,
): Promise<Pick<SessionParts, "model" | "models">> {
  if (model === undefined) throw new NoModelError();
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
  const folder = checkpointsIn(state);
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

/** Allowed without approval: the to-do lists, and sub-agents, whose own calls are decided one by one. */
const ALLOWED = ["todo_set", "todo", "task"];
/** Without a user, also the tools of servers: each server was approved. */
const ALLOWED_HEADLESS = [...ALLOWED, "*__*"];

interface PolicyParts extends Pick<OpenSessionOptions, "flags" | "user"> {
  /** Those that the user answered "always" with. */
  readonly rules: readonly string[];
  readonly servers: KeptServers;
  /** Folders that read-only tools may use without approval. */
  readonly readable: readonly string[];
}

async function openPolicies(
  run: Run,
  { flags, user, rules, readable, servers: { configs, servers } }: PolicyParts,
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
    allow: [...(user ? ALLOWED : ALLOWED_HEADLESS), ...rules, ...flags.allow],
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
