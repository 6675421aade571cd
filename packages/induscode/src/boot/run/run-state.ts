import { realpathSync } from "node:fs";
import { join } from "node:path";
import { describeError, type Environment } from "indusagi/core";
import type { ClashRecord } from "indusagi/interop";
import type { ToolBox } from "indusagi/runtime";
import type { LiveBridge } from "../../deck/attach/index.ts";
import type { AuditTrail } from "../../gateway/operations/audit/index.ts";
import type { ServerLog } from "../../servers/log/index.ts";
import type { ServerLogins } from "../../servers/login/internal.ts";
import type { Catalogue, ServerMemory } from "../../servers/memory/index.ts";
import type { Pins } from "../../servers/pins/index.ts";
import type { PinStore } from "../../servers/pins/internal.ts";
import type { TrustStore } from "../../servers/trust/index.ts";
import type { StateFolder } from "../../state/index.ts";
import { type BoxReplay, createBoxReplay } from "./box-replay.ts";
import type { CloseStack } from "./close-stack.ts";
import { createRunLedger, ledgerFolder, type RunLedger } from "./run-ledger.ts";

/** What a run keeps in the state folder of its workspace. Each part is opened once, when it is first needed. */
export interface RunState {
  /** Created at the first call. */
  folder(): Promise<StateFolder>;
  /** What earlier runs learned about the servers. Undefined if it cannot be used, which is reported once. */
  memory(): Promise<ServerMemory | undefined>;
  /** The log of what the servers write and do. Undefined if it cannot be used. */
  log(): Promise<ServerLog | undefined>;
  /** Records calls. Undefined if it cannot be used, which is reported. */
  auditTrail(): Promise<AuditTrail | undefined>;
  /** The user's decisions about the servers of a folder. Undefined if they cannot be read, which is reported. */
  trustOf(folder: string): Promise<TrustStore | undefined>;
  /** The folder with the ledger that commands read. */
  ledgerFolder(): Promise<string>;
  /** The ledger's log of the run. A command that neither serves nor decides anything creates none. */
  readonly ledger: RunLedger;
  /** URIs that several servers had, if others share them with this run. */
  readonly sharedClashes: ClashRecord | undefined;
  /** The folder whose pins commands read and change. */
  pinFolder(): Promise<string>;
  /** The approved forms of tools. Undefined if they cannot be used, which `memory` reports. */
  pins(): Promise<Pins | undefined>;
  /** The user's logins, in a folder that all workspaces share. Rejects if that folder cannot be used. */
  logins(): Promise<ServerLogins>;
  /**
   * Follows the tools of a box and records their changes in the ledger. One box per run. Hashing and writing, which take a
   * while, start after `after` or at the end of the run, whichever comes first; earlier changes are recorded with their time.
   */
  follow(box: ToolBox, after?: Promise<unknown>): Promise<LiveBridge>;
}

/** What runs of a cluster share with each other, instead of keeping it in the state folder of a workspace. */
export interface SharedState {
  readonly ledger?: RunLedger | undefined;
  readonly ledgerFolder?: (() => Promise<string>) | undefined;
  /** Resolves to undefined: others record the calls. */
  readonly auditTrail?: (() => Promise<AuditTrail | undefined>) | undefined;
  readonly logins?: (() => Promise<ServerLogins>) | undefined;
  readonly catalogue?: Catalogue | undefined;
  readonly clashes?: ClashRecord | undefined;
  readonly pinFolder?: (() => Promise<string>) | undefined;
  /** `words`: what commands in messages need to name the cluster. */
  readonly pins?: { readonly store: PinStore; readonly words: readonly string[] } | undefined;
}

export interface RunStateOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly report: (message: string) => void;
  /** Closes what was opened. */
  readonly stack: CloseStack;
  readonly shared?: SharedState | undefined;
  /** The launch hashes of the rows that were read, by server id. */
  readonly launches: ReadonlyMap<string, string>;
  /** The servers that are the same in every folder, by id. */
  readonly portable: ReadonlySet<string>;
}

export function createRunState(options: RunStateOptions): RunState {
  const { cwd, env, report, stack, launches, portable, shared = {} } = options;
  let folder: Promise<StateFolder> | undefined;
  let memory: Promise<ServerMemory | undefined> | undefined;
  let log: Promise<ServerLog | undefined> | undefined;
  let trail: Promise<AuditTrail | undefined> | undefined;
  let pins: Promise<Pins | undefined> | undefined;
  let logins: Promise<ServerLogins> | undefined;
  let followed: Promise<LiveBridge> | undefined;
  const ledger = shared.ledger ?? createRunLedger({ state: async () => (await state.folder()).path, report });
  stack.defer(async () => ledger[Symbol.asyncDispose]());
  const state: RunState = {
    folder: () => (folder ??= openFolder(cwd, env)),
    memory: () => (memory ??= openMemory()),
    log: () => (log ??= openLog()),
    auditTrail: () => (trail ??= (shared.auditTrail ?? openTrail)()),
    trustOf: async (of) => {
      try {
        const { path } = of === cwd ? await state.folder() : await openFolder(of, env);
        const { openTrustStore } = await import("../../servers/trust/index.ts");
        return openTrustStore(path);
      } catch (thrown) {
        // Without it no row of a project is approved.
        report(`the decisions about the servers of ${of} cannot be read: ${describeError(thrown)}`);
        return undefined;
      }
    },
    ledgerFolder: shared.ledgerFolder ?? (async () => ledgerFolder((await state.folder()).path)),
    ledger,
    sharedClashes: shared.clashes,
    pinFolder: shared.pinFolder ?? (async () => (await state.folder()).path),
    pins: () => (pins ??= openRunPins()),
    logins: () => (logins ??= (shared.logins ?? (() => openLogins(env, report)))()),
    follow: (box, after) => (followed ??= followRun(box, { ledger, report, stack, after })),
  };

  /** Only a cache: continue without it. */
  const openMemory = async (): Promise<ServerMemory | undefined> => {
    try {
      const { path } = await state.folder();
      const { createServerMemory, openCatalogue } = await import("../../servers/memory/index.ts");
      const open = async (folder: string): Promise<Catalogue> =>
        stack.open(Promise.resolve(openCatalogue(folder, { report })));
      return createServerMemory({
        workspace: shared.catalogue ?? (await open(join(path, "catalogue"))),
        everywhere: portable.size > 0 ? await openShared("catalogue", env).then(open) : undefined,
        launches,
        portable,
      });
    } catch (thrown) {
      report(
        `the tools of the servers are not remembered, and their changes are not noticed: ${describeError(thrown)}`,
      );
      return undefined;
    }
  };

  const openLog = async (): Promise<ServerLog | undefined> => {
    try {
      const { path } = await state.folder();
      const { openServerLog } = await import("../../servers/log/index.ts");
      return await stack.open(Promise.resolve(openServerLog(join(path, "logs"), { report })));
    } catch {
      return undefined; // `memory` reports it: it uses the same folder.
    }
  };

  const openTrail = async (): Promise<AuditTrail | undefined> => {
    try {
      const { path } = await state.folder();
      const { openAuditTrail } = await import("../../gateway/operations/audit/index.ts");
      return await stack.open(Promise.resolve(openAuditTrail(path, { report })));
    } catch (thrown) {
      report(`calls are not recorded: ${describeError(thrown)}`);
      return undefined;
    }
  };

  const openRunPins = async (): Promise<Pins | undefined> => {
    try {
      const record: RunLedger["record"] = (decisions) => ledger.record(decisions);
      if (shared.pins) {
        const { store, words } = shared.pins;
        const { openPinsIn } = await import("../../servers/pins/internal.ts");
        return await stack.open(Promise.resolve(openPinsIn(store, { report, record, words })));
      }
      const { path, workspace } = await state.folder();
      const { openPins } = await import("../../servers/pins/index.ts");
      return await stack.open(Promise.resolve(openPins(path, { report, record, ...elsewhere(workspace) })));
    } catch {
      return undefined; // `memory` reports it: it uses the same folder.
    }
  };
  return state;
}

async function openLogins(env: Environment, report: (message: string) => void): Promise<ServerLogins> {
  const { createServerLogins } = await import("../../servers/login/internal.ts");
  return createServerLogins(await openShared("logins", env), { note: report });
}

/** A folder of the state that all workspaces share. */
async function openShared(name: string, env: Environment): Promise<string> {
  const { openSharedFolder } = await import("../../state/index.ts");
  return openSharedFolder(name, env);
}

async function openFolder(workspace: string, env: Environment): Promise<StateFolder> {
  const { openStateFolder } = await import("../../state/index.ts");
  return openStateFolder(workspace, env);
}

/** A command in a message must name its folder if the user is probably in another one. */
function elsewhere(workspace: string): { readonly cwd?: string } {
  return realpathSync(process.cwd()) === workspace ? {} : { cwd: workspace };
}

interface FollowRunOptions {
  readonly ledger: RunLedger;
  readonly report: (message: string) => void;
  readonly stack: CloseStack;
  /** Hashing and writing start after this or at the end of the run, whichever comes first. */
  readonly after: Promise<unknown> | undefined;
}

/** Records the changes of a box in the run's ledger until the run is closed. */
function followRun(box: ToolBox, options: FollowRunOptions): Promise<LiveBridge> {
  const replay = createBoxReplay(box);
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const following = Promise.race([options.after, ended]).then(() => followNow(replay, box, options));
  // Deferred now, so it closes before the servers: their tools were live until the end.
  options.stack.defer(async () => {
    end();
    await (await following.catch(() => undefined))?.close();
  });
  return following;
}

async function followNow(
  replay: BoxReplay,
  box: ToolBox,
  { ledger, report }: FollowRunOptions,
): Promise<LiveBridge> {
  const log = await ledger.log();
  const { followBridgeBox, prepareTools } = await import("../../deck/attach/index.ts");
  await prepareTools([...replay.box.descriptors(), ...box.descriptors()]);
  const bridge = followBridgeBox(replay.box, { ...(log && { log }), report, clock: replay.clock });
  replay.catchUp();
  return bridge;
}
