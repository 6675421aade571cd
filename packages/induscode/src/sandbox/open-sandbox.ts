import { existsSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localShell, type ShellLaunch, type ShellWrap, type WrappedLaunch } from "indusagi/capabilities";
import { homeFolder } from "indusagi/config";
import { describeError, type Environment, isInside } from "indusagi/core";
import { PROTECTED_IN_PROJECTS } from "../policy/internal.ts";
import { hiddenPlaces } from "./hidden-places.ts";
import { type HeldNames, holdNames } from "./hold-names.ts";
import { removeScratch } from "./remove-scratch.ts";
import { SandboxError } from "./sandbox-error.ts";
import type { SandboxPlan } from "./sandbox-plan.ts";
import { type SandboxProgram, sandboxProgram } from "./sandbox-program.ts";
import { shareProtected } from "./share-protected.ts";

/** A sandbox of the operating system for the commands of one session. */
export interface Sandbox {
  /** For `ShellOptions`: runs a command line in the sandbox. */
  readonly wrap: ShellWrap;
  /** Where a command may write, in words: `/home/ann/app and /tmp`. */
  readonly writable: string;
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
  const unprotected = program.protectsAbsentNames ? undefined : holdProblem(workspace);
  if (unprotected !== undefined) return { problem: unprotected };
  const scratch = scratchFolder(workspace);
  if (typeof scratch !== "string") return scratch;
  const close = (): void => removeScratch(scratch);
  const base = { workspace, scratch };
  try {
    // The same mounts as for commands, except for those that need a search of the folder.
    const wrap: ShellWrap = async (launch) =>
      program.wrap({ ...base, readOnly: [], hidden: hiddenPlaces(env) }, launch);
    const problem = await probe(program.name, { cwd: workspace, wrap, ...(signal && { signal }) });
    if (problem !== undefined) {
      close();
      return { problem };
    }
  } catch (thrown) {
    close();
    throw thrown;
  }
  const wrap: ShellWrap = (launch) => wrapCommand(launch, { base, program, env });
  return { wrap, writable: `${workspace} and ${program.scratchName ?? scratch}`, close };
}

/** Why no command could run here: a protected name is a link, or the folder belongs to another user. */
function holdProblem(workspace: string): string | undefined {
  try {
    holdNames(workspace, PROTECTED_IN_PROJECTS).release();
    return undefined;
  } catch (thrown) {
    return describeError(thrown);
  }
}

/** A new folder for the temporary files of the commands. */
function scratchFolder(workspace: string): string | { readonly problem: string } {
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
  readonly program: SandboxProgram;
  readonly env: Environment;
}

/** The plan is made anew for each command: files come and go. */
async function wrapCommand(
  launch: ShellLaunch,
  { base, program, env }: CommandParts,
): Promise<WrappedLaunch> {
  const { workspace } = base;
  // A command in a folder above may have put a link in its place, which the mount would follow.
  if (real(workspace) !== workspace)
    throw new SandboxError("unsafe", `${workspace} was replaced by a link; start indus again`);
  // Otherwise holding names would make it again.
  if (!existsSync(workspace)) throw new SandboxError("unsafe", `${workspace} does not exist any more`);
  const held = program.protectsAbsentNames ? undefined : holdNames(workspace, PROTECTED_IN_PROJECTS);
  // After the names are held, so that the search finds those too.
  const shared = shareProtected(workspace);
  const release = (): void => {
    shared.release();
    held?.release();
  };
  try {
    const readOnly = immovable(await shared.paths(), workspace, held);
    // The link to a folder may be in a place that the command does not see.
    const place = { ...launch, cwd: real(launch.cwd) };
    return { ...program.wrap({ ...base, readOnly, hidden: hiddenPlaces(env) }, place), release };
  } catch (thrown) {
    release();
    throw thrown;
  }
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
