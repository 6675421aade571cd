import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, readdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { describeError, errorCode, replaceFileSync } from "indusagi/core";
import { StateError } from "./state-error.ts";
import { type StatePlaceOptions, stateRoot, workspaceFolderName } from "./state-place.ts";

/** The folder for the state of one workspace. Only its owner can enter it. */
export interface StateFolder {
  readonly path: string;
  /** The real path of the workspace. */
  readonly workspace: string;
}

/** Names the workspace, for people and to check that the folder belongs to it. */
const WORKSPACE_FILE = "workspace.json";

/**
 * Opens the state folder of a workspace, and creates it if needed. Rejects with a `StateError` if the folder cannot be
 * trusted: a symbolic link, or owned by another user. Access for other users is removed.
 */
export async function openStateFolder(
  workspacePath: string,
  env: NonNullable<StatePlaceOptions["env"]> = process.env,
): Promise<StateFolder> {
  const workspace = await realWorkspace(workspacePath);
  const path = join(await openStateRoot(env), workspaceFolderName(workspace));
  await makePrivateFolder(path);
  await claimFor(workspace, path);
  return { path, workspace };
}

/** The state folders of all workspaces that have one, even if the workspace is gone. */
export async function listStateFolders(
  env: NonNullable<StatePlaceOptions["env"]> = process.env,
): Promise<readonly StateFolder[]> {
  const root = await openStateRoot(env);
  const entries = await readdir(root, { withFileTypes: true });
  const found = entries
    .filter((entry) => entry.isDirectory())
    .map(async ({ name }): Promise<StateFolder[]> => {
      const path = join(root, name);
      const workspace = await recordedWorkspace(join(path, WORKSPACE_FILE));
      // The record could name any folder: only the right one gives the folder this name.
      return workspace !== undefined && workspaceFolderName(workspace) === name ? [{ path, workspace }] : [];
    });
  return (await Promise.all(found)).flat();
}

/** Opens the folder for the state of all workspaces, creates it if needed, and returns its path. */
export async function openStateRoot(
  env: NonNullable<StatePlaceOptions["env"]> = process.env,
): Promise<string> {
  const root = stateRoot({ env });
  if (root === undefined)
    throw new StateError("no_home", "there is no home folder for state; set HOME or XDG_STATE_HOME");
  await makePrivateFolder(root);
  return root;
}

/** The same for a folder with one kind of state that all workspaces share. */
export async function openSharedFolder(
  name: string,
  env: NonNullable<StatePlaceOptions["env"]> = process.env,
): Promise<string> {
  const path = join(await openStateRoot(env), name);
  await makePrivateFolder(path);
  return path;
}

async function realWorkspace(path: string): Promise<string> {
  try {
    const real = await realpath(path);
    if ((await stat(real)).isDirectory()) return real;
  } catch (cause) {
    throw new StateError("no_workspace", `workspace ${path} cannot be used: ${describeError(cause)}`, {
      cause,
    });
  }
  throw new StateError("no_workspace", `workspace ${path} is not a folder`);
}

async function makePrivateFolder(path: string): Promise<void> {
  let refused: unknown;
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause: unknown) => (refused = cause));
  const found = await lstat(path).catch((cause: unknown) => {
    throw unavailable(path, "create", refused ?? cause);
  });
  refuseStranger(path, found);
  // Windows has no such owners and modes; there the profile folder is private (not checked).
  if (process.platform !== "win32") await tighten(path);
}

/** Through a handle that follows no link, so a folder swapped after the check is neither trusted nor changed. */
async function tighten(path: string): Promise<void> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  try {
    const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      const found = await handle.stat();
      refuseStranger(path, found);
      if ((found.mode & 0o777) !== 0o700) await handle.chmod(0o700);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw cause instanceof StateError ? cause : unavailable(path, "make private", cause);
  }
}

function refuseStranger(path: string, found: Stats): void {
  if (found.isSymbolicLink())
    throw new StateError("not_a_folder", `state folder ${path} is a symbolic link; remove it`);
  if (!found.isDirectory())
    throw new StateError("not_a_folder", `state folder ${path} is not a folder; remove it`);
  const own = process.getuid?.();
  if (own !== undefined && found.uid !== own)
    throw new StateError(
      "not_owned",
      `state folder ${path} belongs to user ${found.uid}, not to user ${own}; set XDG_STATE_HOME to a folder of yours`,
    );
}

/** Records the workspace in its folder, or checks the record. A half-written record is replaced. */
async function claimFor(workspace: string, path: string): Promise<void> {
  const file = join(path, WORKSPACE_FILE);
  const recorded = await recordedWorkspace(file);
  if (recorded === workspace) return;
  if (recorded !== undefined)
    throw new StateError(
      "wrong_workspace",
      `state folder ${path} was made for ${recorded}, not for ${workspace}; remove it`,
    );
  try {
    // In one step, so another process never reads half of it.
    replaceFileSync({
      path: file,
      content: Buffer.from(`${JSON.stringify({ path: workspace })}\n`),
      mode: 0o600,
    });
  } catch (cause) {
    throw unavailable(file, "write", cause);
  }
}

async function recordedWorkspace(file: string): Promise<string | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    throw unavailable(file, "read", cause);
  }
  try {
    const { path } = JSON.parse(text) as { readonly path?: unknown };
    return typeof path === "string" ? path : undefined;
  } catch {
    return undefined;
  }
}

function unavailable(path: string, doing: string, cause: unknown): StateError {
  const problem = `cannot ${doing} ${path}: ${describeError(cause)}`;
  const remedy = "correct that, or set XDG_STATE_HOME to a folder that you can write";
  return new StateError("unavailable", `${problem}; ${remedy}`, { cause });
}
