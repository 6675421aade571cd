import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localShell, type ShellLaunch, type ShellWrap, type WrappedLaunch } from "indusagi/capabilities";
import { homeFolder } from "indusagi/config";
import { describeError, type Environment, isInside } from "indusagi/core";
import { EMPTY_PROJECT_FILES, PROTECTED_IN_PROJECTS } from "../policy/internal.ts";
import { excludeFile } from "./find-submodules.ts";
import { hiddenPlaces } from "./hidden-places.ts";
import { type HeldNames, holdNames } from "./hold-names.ts";
import { removeScratch } from "./remove-scratch.ts";
import { SandboxError } from "./sandbox-error.ts";
import type { ReplacedFile, SandboxAccess, SandboxPlan } from "./sandbox-plan.ts";
import { type SandboxProgram, sandboxProgram } from "./sandbox-program.ts";
import { shareProtected } from "./share-protected.ts";

/** A sandbox of the operating system for the commands of one session. */
export interface Sandbox {
  /** For `ShellOptions`: runs a command line in the sandbox. Default: with `write`. */
  readonly wrap: (launch: ShellLaunch, access?: SandboxAccess) => Promise<WrappedLaunch>;
  /** Where a command may write, in words: `/home/ann/app and /tmp`. */
  readonly writable: string;
  /** The folder for temporary files, as a command names it. */
  readonly scratch: string;
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

/** The program waits for nothing; this only ends a machine's hang. */
const PROBE_MS = 10_000;

/** Opens the sandbox of this machine if it has one and it works; else tells why not, as a clause. */
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
  const unprotected = program.protectsAbsentNames ? undefined : await holdProblem(workspace);
  if (unprotected !== undefined) return { problem: unprotected };
  const own = ownFolder(workspace);
  if (typeof own !== "string") return own;
  const close = (): void => removeScratch(own);
  const scratch = join(own, "tmp");
  mkdirSync(scratch);
  const base = { workspace, scratch };
  try {
    // The same mounts as for commands, except for those that need a search of the folder.
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
  const parts = { base, own, program, env };
  const shown = program.scratchName ?? scratch;
  return {
    wrap: (launch, access = "write") =>
      access === "write" ? wrapWriter(launch, parts) : wrapReader(launch, access, parts),
    writable: `${workspace} and ${shown}`,
    scratch: shown,
    close,
  };
}

/** Why no command could run here: a protected name is a link, or the folder belongs to another user. */
async function holdProblem(workspace: string): Promise<string | undefined> {
  try {
    (await holdNames(workspace, PROTECTED_IN_PROJECTS)).release();
    return undefined;
  } catch (thrown) {
    return describeError(thrown);
  }
}

/** A new folder of our own, for the temporary files of the commands and for files that we show to them. */
function ownFolder(workspace: string): string | { readonly problem: string } {
  const folder = tmpdir();
  // There a command could put a link in its place, and the next command would write where that leads.
  if (isInside(real(folder), [workspace]))
    return { problem: `the folder for temporary files, ${folder}, is inside this folder` };
  try {
    return realpathSync(mkdtempSync(join(folder, "indus-sandbox-")));
  } catch (thrown) {
    return { problem: `there is no folder for temporary files: ${describeError(thrown)}` };
  }
}

async function probe(
  name: string,
  options: { readonly cwd: string; readonly wrap: ShellWrap; readonly signal?: AbortSignal },
): Promise<string | undefined> {
  try {
    const { code, stderr, timedOut } = await localShell().exec(":", { ...options, timeoutMs: PROBE_MS });
    if (code === 0) return undefined;
    const why = timedOut ? "it does not end" : (stderr.trim().split("\n").at(-1) ?? "");
    return `${name} does not work here: ${why || `it ended with ${code}`}`;
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

/** A command that changes nothing: no name has to be held for it. */
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
  // A command in a folder above may have put a link in its place, which the mount would follow.
  if (real(workspace) !== workspace)
    throw new SandboxError("unsafe", `${workspace} was replaced by a link; start indus again`);
  // Otherwise holding names would make it again.
  if (!existsSync(workspace)) throw new SandboxError("unsafe", `${workspace} does not exist any more`);
}

/** The plan is made anew for each command: files come and go. */
async function wrapWriter(
  launch: ShellLaunch,
  { base, own, program, env }: CommandParts,
): Promise<WrappedLaunch> {
  const { workspace } = base;
  refuseReplaced(workspace);
  const held = program.protectsAbsentNames ? undefined : await holdNames(workspace, PROTECTED_IN_PROJECTS);
  // After the names are held, so that the search finds those too.
  const shared = shareProtected(workspace);
  const release = (): void => {
    shared.release();
    held?.release();
  };
  try {
    const found = immovable(await shared.paths(), workspace, held);
    const readOnly = held?.records === undefined ? found : [...found, held.records];
    const replaced = held ? hiddenFromGit(held, own, workspace) : [];
    // The link to a folder may be in a place that the command does not see.
    const place = { ...launch, cwd: real(launch.cwd) };
    const plan = { ...base, access: "write", readOnly, hidden: hiddenPlaces(env), replaced } as const;
    return { ...program.wrap(plan, place), release };
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/**
 * The file of git with patterns to ignore, as the command sees it: also with the files that we made. Otherwise `git status`
 * would show them as new. Outside the sandbox nothing of the repository is changed.
 */
function hiddenFromGit({ paths }: HeldNames, own: string, workspace: string): readonly ReplacedFile[] {
  const files = paths
    .map((path) => path.slice(workspace.length))
    .filter((path) => path.slice(1) in EMPTY_PROJECT_FILES);
  const path = files.length === 0 ? undefined : excludeFile(workspace);
  if (path === undefined) return [];
  const by = join(own, "exclude");
  const text = `${readFileSync(path, "utf8")}\n${files.map((file) => `${file}\n`).join("")}`;
  writeFileSync(by, text);
  return [{ path, by }];
}

/** Commands of other processes can move all but the names that every sandbox holds. */
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
