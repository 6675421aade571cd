import * as fs from "node:fs";
import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { localShell, type ShellLaunch, type ShellWrap, type WrappedLaunch } from "indusagi/capabilities";
import { homeFolder } from "indusagi/config";
import { describeError, type Environment, isInside, leaveWill, mintUlid } from "indusagi/core";
import { EMPTY_PROJECT_FILES, PROTECTED_IN_PROJECTS } from "../internal.ts";
import { findRepository, userPatterns } from "./find-repository.ts";
import { hiddenPlaces } from "./hidden-places.ts";
import { type HeldNames, holdNames, holdProblem } from "./hold-names.ts";
import {
  type HiddenPlace,
  type ReplacedFile,
  type SandboxAccess,
  SandboxError,
  type SandboxPlan,
} from "./sandbox-plan.ts";
import { type SandboxProgram, sandboxProgram } from "./sandbox-program.ts";
import { shareProtected } from "./share-protected.ts";
import { smallText } from "./small-text.ts";

/** A sandbox of the operating system for the commands of one session. */
export interface Sandbox {
  /** For `ShellOptions`: runs a command line in the sandbox. Default: with `write`. */
  readonly wrap: (launch: ShellLaunch, access?: SandboxAccess) => Promise<WrappedLaunch>;
  /** Where a command may write, as text: `/home/ann/app and /tmp`. */
  readonly writable: string;
  /** The folder for temporary files, as a command names it. */
  readonly scratch: string;
  /** Why every writing command is refused here: a protected name is a link, or nothing can be created in the folder. */
  readonly writeProblem?: string | undefined;
  /** Removes the temporary files of the commands. */
  close(): void;
}

export interface OpenSandboxOptions {
  /** The folder of the session. */
  readonly cwd: string;
  readonly env: Environment;
  readonly signal?: AbortSignal;
  /** Default: the platform of this process. */
  readonly platform?: NodeJS.Platform;
}

/** The probe does nothing, so this only matters if the machine hangs. */
const PROBE_MS = 10_000;

/** Opens the sandbox of this machine if it has a working one; otherwise returns why not, as a clause. */
export async function openSandbox(
  options: OpenSandboxOptions,
): Promise<Sandbox | { readonly problem: string }> {
  const { env, signal } = options;
  const workspace = realpathSync(options.cwd);
  const home = homeFolder({ env });
  if (home !== undefined && isInside(real(home), [workspace]))
    return { problem: "this folder contains your home folder" };
  const program = sandboxProgram({ ...options, workspace });
  if ("problem" in program) return program;
  const made = await ownFolder(workspace);
  if ("problem" in made) return made;
  const { own, close } = made;
  const scratch = join(own, "tmp");
  const base = { workspace, scratch };
  try {
    mkdirSync(scratch);
    // The same mounts as for commands, except those that require searching the folder.
    const wrap: ShellWrap = async (launch) =>
      program.wrap(
        { ...base, access: "write", readOnly: [], hidden: hiddenPlaces(env), replaced: [] },
        launch,
      );
    const problem = await probe(program.name, { cwd: workspace, wrap, ...(signal && { signal }) });
    if (problem !== undefined) {
      close();
      return { problem };
    }
  } catch (thrown) {
    close();
    throw thrown;
  }
  const writeProblem = program.protectsAbsentNames
    ? undefined
    : holdProblem(workspace, PROTECTED_IN_PROJECTS);
  const parts = { base, own, program, env };
  const shown = program.scratchName ?? scratch;
  return {
    wrap: (launch, access = "write") =>
      access === "write" ? wrapWriter(launch, parts) : wrapReader(launch, access, parts),
    writable: `${workspace} and ${shown}`,
    scratch: shown,
    writeProblem,
    close,
  };
}

/**
 * Creates a private folder for the temporary files of the commands and for files that we show to them. If this process is killed,
 * the watchdog removes it.
 */
async function ownFolder(
  workspace: string,
): Promise<{ readonly own: string; readonly close: () => void } | { readonly problem: string }> {
  const folder = tmpdir();
  // A command could replace it by a link there, and the next command would write where that leads.
  if (isInside(real(folder), [workspace]))
    return { problem: `the folder for temporary files, ${folder}, is inside this folder` };
  const own = join(real(folder), `indus-sandbox-${mintUlid()}`);
  // Before creating it, so cleanup is always guaranteed.
  const withdraw = await leaveWill(
    `(${removeScratch.toString()})(require("node:fs"), ${JSON.stringify(own)})`,
  );
  try {
    mkdirSync(own, { mode: 0o700 });
  } catch (thrown) {
    withdraw();
    return { problem: `there is no folder for temporary files: ${describeError(thrown)}` };
  }
  const close = (): void => {
    removeScratch(fs, own);
    withdraw();
  };
  return { own, close };
}

/**
 * Removes the temporary files of commands. Never throws: leftovers do no harm. The watchdog runs the source text of this
 * function in another process, so it may use nothing but its arguments.
 */
function removeScratch(disk: typeof fs, folder: string): void {
  const remove = (): void => disk.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  const makeWritable = (path: string): void => {
    disk.chmodSync(path, 0o700);
    for (const entry of disk.readdirSync(path, { withFileTypes: true }))
      if (entry.isDirectory()) makeWritable(`${path}/${entry.name}`);
  };
  try {
    remove();
  } catch {
    // Some programs make their folders read-only, as Go does for modules.
    try {
      makeWritable(folder);
      remove();
    } catch {
      // The system cleans its temporary folder itself.
    }
  }
}

async function probe(
  name: string,
  options: { readonly cwd: string; readonly wrap: ShellWrap; readonly signal?: AbortSignal },
): Promise<string | undefined> {
  try {
    const { code, stderr, timedOut } = await localShell().exec(":", { ...options, timeoutMs: PROBE_MS });
    if (code === 0) return undefined;
    const why = timedOut ? "it timed out" : (stderr.trim().split("\n").at(-1) ?? "");
    return `${name} does not work here: ${why || `it exited with ${code}`}`;
  } catch (thrown) {
    options.signal?.throwIfAborted();
    return `${name} does not work here: ${describeError(thrown)}`;
  }
}

interface CommandParts {
  readonly base: Pick<SandboxPlan, "workspace" | "scratch">;
  readonly own: string;
  readonly program: SandboxProgram;
  readonly env: Environment;
}

/** A command that changes nothing needs no held names. */
async function wrapReader(
  launch: ShellLaunch,
  access: "read" | "read-anywhere",
  { base, program, env }: CommandParts,
): Promise<WrappedLaunch> {
  refuseReplaced(base.workspace);
  const hidden = access === "read" ? hiddenPlaces(env) : [];
  return program.wrap(
    { ...base, access, readOnly: [], hidden, replaced: [] },
    { ...launch, cwd: real(launch.cwd) },
  );
}

function refuseReplaced(workspace: string): void {
  // A command in a folder above may have replaced it by a link, which the mount would follow.
  if (real(workspace) !== workspace)
    throw new SandboxError("unsafe", `${workspace} was replaced by a link; start indus again`);
  // Otherwise holding names would recreate it.
  if (!existsSync(workspace)) throw new SandboxError("unsafe", `${workspace} no longer exists`);
}

/** Makes a new plan for each command, because files come and go. */
async function wrapWriter(
  launch: ShellLaunch,
  { base, own, program, env }: CommandParts,
): Promise<WrappedLaunch> {
  const { workspace } = base;
  refuseReplaced(workspace);
  const held = program.protectsAbsentNames ? undefined : await holdNames(workspace, PROTECTED_IN_PROJECTS);
  // After the names are held, so the search finds them too.
  const shared = shareProtected(workspace);
  const release = (): void => {
    shared.release();
    held?.release();
  };
  try {
    const found = immovable(await shared.paths(), workspace, held);
    const readOnly = held?.records === undefined ? found : [...found, held.records];
    const hidden = hiddenPlaces(env);
    const { replaced, env: added } = held ? hiddenFromGit(held, { own, workspace, env, hidden }) : SHOWN;
    // A link in the path may be hidden from the command.
    const place = { ...launch, cwd: real(launch.cwd) };
    const plan = { ...base, access: "write", readOnly, hidden, replaced } as const;
    const wrapped = program.wrap(plan, place);
    return { ...wrapped, env: { ...wrapped.env, ...added }, release };
  } catch (thrown) {
    release();
    throw thrown;
  }
}

interface GitView {
  readonly replaced: readonly ReplacedFile[];
  readonly env: Environment;
}

interface GitViewParts {
  readonly own: string;
  readonly workspace: string;
  readonly env: Environment;
  readonly hidden: readonly HiddenPlace[];
}

const SHOWN: GitView = { replaced: [], env: {} };

/** In `/dev`, which is private to the sandbox, so a file can be created there. */
const EXCLUDES = "/dev/indus-excludes";

/**
 * Adds the files that we created to git's ignore patterns, as the command sees them. Otherwise `git status` would show them as
 * new. Nothing in the repository changes outside the sandbox. Adds to the repository's `info/exclude`, or if there is no such
 * file to mount over, to the user's own patterns.
 */
function hiddenFromGit({ paths }: HeldNames, { own, workspace, env, hidden }: GitViewParts): GitView {
  const files = paths.filter((path) => path.slice(workspace.length + 1) in EMPTY_PROJECT_FILES);
  const repository = files.length === 0 ? undefined : findRepository(workspace);
  if (!repository) return SHOWN;
  const { top, excludeFile } = repository;
  const patterns = files.map((file) => `/${relative(top, file).replaceAll(/[\\*?[]/g, String.raw`\$&`)}\n`);
  const by = join(own, "exclude");
  const present = excludeFile === undefined ? (userPatterns(env, hidden) ?? "") : smallText(excludeFile);
  if (present === undefined) return SHOWN; // It is too large.
  writeFileSync(by, `${present}\n${patterns.join("")}`);
  if (excludeFile !== undefined) return { replaced: [{ path: excludeFile, by }], env: {} };
  const count = Number(env["GIT_CONFIG_COUNT"] ?? 0);
  const setting = {
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: "core.excludesFile",
    [`GIT_CONFIG_VALUE_${count}`]: EXCLUDES,
  };
  return { replaced: [{ path: EXCLUDES, by }], env: setting };
}

/** Commands of other processes can move everything except the names that every sandbox holds. */
function immovable(
  paths: readonly string[],
  workspace: string,
  held: HeldNames | undefined,
): readonly string[] {
  if (!held?.isShared) return paths;
  const names = new Set(PROTECTED_IN_PROJECTS.map((name) => join(workspace, name)));
  return paths.filter((path) => names.has(path));
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
