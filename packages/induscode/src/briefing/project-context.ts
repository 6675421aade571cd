import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describeError, errorCode, isInside } from "indusagi/core";

/** A file of the project with instructions for agents. */
export interface ContextFile {
  /** Relative to the outermost folder that was searched. */
  readonly path: string;
  readonly text: string;
}

export interface ProjectContext {
  /** The outermost folder first. */
  readonly files: readonly ContextFile[];
  /** What was left out, one line each. */
  readonly problems: readonly string[];
}

/** The names to look for in each folder, in this order. */
export const CONTEXT_FILE_NAMES = ["AGENTS.md", "CLAUDE.md", "INDUS.md"] as const;

const MAX_FILE_BYTES = 32 * 1024;
const MAX_ALL_BYTES = 96 * 1024;

/**
 * Reads the context files from the root of the project to the working folder. The root is the nearest folder with `.git`;
 * without one, only the working folder is searched. Links out of the root are not followed, and long files are cut.
 */
export function readProjectContext(cwd: string): ProjectContext {
  const here = realpathSync(cwd);
  const root = projectRoot(here);
  const files: ContextFile[] = [];
  const problems: string[] = [];
  const seen = new Set<string>();
  let left = MAX_ALL_BYTES;
  for (const folder of foldersBetween(root, here)) {
    for (const name of CONTEXT_FILE_NAMES) {
      const path = join(folder, name);
      const shown = relative(root, path);
      try {
        const read = readContextFile(path, root, Math.min(left, MAX_FILE_BYTES));
        // One file may have two names, such as AGENTS.md and CLAUDE.md.
        if (!read || seen.has(read.real) || read.text.trim() === "") continue;
        seen.add(read.real);
        left -= Buffer.byteLength(read.text);
        files.push({ path: shown, text: read.text });
        if (read.isCut) problems.push(`${shown} is too long: only its beginning is used`);
      } catch (thrown) {
        problems.push(`${shown} is not used: ${describeError(thrown)}`);
      }
    }
  }
  return { files, problems };
}

/** The nearest folder with `.git`, or the folder itself. */
export function projectRoot(here: string): string {
  for (let folder = here; ; folder = dirname(folder)) {
    if (statSync(join(folder, ".git"), { throwIfNoEntry: false })) return folder;
    if (folder === dirname(folder)) return here;
  }
}

function foldersBetween(root: string, here: string): readonly string[] {
  const folders = [here];
  for (let folder = here; folder !== root; ) {
    folder = dirname(folder);
    folders.unshift(folder);
  }
  return folders;
}

interface ReadFile {
  readonly real: string;
  readonly text: string;
  readonly isCut: boolean;
}

/** Undefined if there is no such file. */
function readContextFile(path: string, root: string, maxBytes: number): ReadFile | undefined {
  let real: string;
  try {
    real = realpathSync(path);
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT" || errorCode(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
  if (!isInside(real, [root])) throw new Error("it is a link that leads out of the project");
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants; // Windows lacks the last two; `|` takes undefined as 0.
  const file = openSync(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const info = fstatSync(file);
    if (!info.isFile()) throw new Error("it is not a regular file");
    const bytes = Buffer.alloc(Math.min(info.size, maxBytes));
    const length = readSync(file, bytes, 0, bytes.length, 0);
    // Drops a character that the cut splits.
    const text = new TextDecoder("utf-8").decode(bytes.subarray(0, length), { stream: true });
    return { real, text, isCut: info.size > maxBytes };
  } finally {
    closeSync(file);
  }
}
