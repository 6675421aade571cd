import { lstatSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { describeError, errorCode } from "indusagi/core";
import { SandboxError } from "./sandbox-error.ts";

/** Names that are taken as long as a command runs. */
export interface HeldNames {
  /** The paths of empty folders that were made to take the names. */
  readonly paths: readonly string[];
  /** Another process holds names here: it runs commands in a sandbox of its own. */
  readonly isShared: boolean;
  release(): void;
}

/** Begins the name of a folder inside a held one. Its end is the process that holds the name. */
const HOLDER = ".indus-sandbox-";

/** How many commands of this process hold a path. */
const holders = new Map<string, number>();

/**
 * Takes names in a folder that do not exist yet, so that a command cannot create them: only something that exists can be
 * made read-only. Each is an empty folder with an empty folder of ours in it, which git does not show. Several processes can
 * hold the same name; the last one removes it. What a killed process left is removed by the next one that holds the name.
 */
export function holdNames(folder: string, names: readonly string[]): HeldNames {
  const paths: string[] = [];
  const release = (): void => {
    for (const path of paths.splice(0)) letGo(path);
  };
  try {
    for (const name of names) {
      const path = join(folder, name);
      if (isFree(path) && hold(path)) paths.push(path);
    }
  } catch (thrown) {
    release();
    throw thrown;
  }
  return { paths: [...paths], isShared: paths.some(isHeldByOthers), release };
}

/** Whether there is nothing, or only what a sandbox put there. */
function isFree(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return true;
  if (found.isSymbolicLink())
    throw new SandboxError(
      "unsafe",
      `the link ${path} cannot be made read-only; replace it, or use --sandbox off`,
    );
  if (!found.isDirectory()) return false;
  const entries = readdirSync(path);
  if (entries.length === 0 || !entries.every((name) => name.startsWith(HOLDER))) return false;
  for (const name of entries) if (!isAlive(Number(name.slice(HOLDER.length)))) removeFolder(join(path, name));
  return true;
}

function isHeldByOthers(path: string): boolean {
  return readdirSync(path).some((name) => name.startsWith(HOLDER) && name !== `${HOLDER}${process.pid}`);
}

/** False on a read-only disk: there the command cannot make the name either. */
function hold(path: string): boolean {
  try {
    mkdirSync(join(path, `${HOLDER}${process.pid}`), { recursive: true });
  } catch (thrown) {
    if (errorCode(thrown) === "EROFS") return false;
    throw new SandboxError("unsafe", `${path} cannot be protected: ${describeError(thrown)}`, {
      cause: thrown,
    });
  }
  holders.set(path, (holders.get(path) ?? 0) + 1);
  return true;
}

function letGo(path: string): void {
  const left = (holders.get(path) ?? 1) - 1;
  if (left > 0) return void holders.set(path, left);
  holders.delete(path);
  removeFolder(join(path, `${HOLDER}${process.pid}`));
  removeFolder(path);
}

/** Leaves a folder that is not empty: somebody else uses it. */
function removeFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // See above; or it is gone.
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return errorCode(thrown) === "EPERM";
  }
}
