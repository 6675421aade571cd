import { type Dirent, lstatSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isInside } from "indusagi/core";
import { realPath } from "../paths/real-path.ts";

/** Where a command may run: in one of these folders, all without links. */
export interface Where {
  readonly folders: readonly string[];
  /** The folder that it must not leave. */
  readonly session: string;
}

/**
 * The repository that git finds from a folder: the nearest folder upwards that has a `.git` or is a bare repository. Default: the
 * session's folder.
 */
export function topOf(folder: string, session: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (has(at, ".git") || isBare(at)) return at;
    if (at === dirname(at)) return session;
  }
}

/** Why git may show something other than the repository of this work tree, even without running its programs. */
export function repositoryProblem(top: string, session: string): string | undefined {
  const place = join(top, ".git");
  if (top !== topOf(session, session) && !(isInside(top, [session]) && typeOf(place) === "folder"))
    return "its repository is not in the session's folder";
  const roots = [session, top];
  const named = /^gitdir: (.*?)\s*$/.exec(textOf(place))?.[1];
  const folder = realPath(named === undefined ? place : resolve(top, named));
  const common = realPath(resolve(folder, textOf(join(folder, "commondir")).trim()));
  // A linked work tree: its repository refers back to it, which only its owner can have arranged.
  const isKnownThere = () => realPath(textOf(join(folder, "gitdir")).trim()) === realPath(place);
  if (![folder, common].every((one) => isInside(one, roots)))
    return named !== undefined && isKnownThere() ? undefined : "its repository lies elsewhere";
  if (has(join(common, "objects", "info"), "alternates"))
    return "its repository borrows objects from elsewhere";
  return linkOutside(common, roots);
}

/** Any link in the folder counts: which ones a program meets depends on its operands. */
export function linkProblem({ session }: Where): string | undefined {
  const found = linkOutside(session, [session, topOf(session, session)]);
  return found && `it follows links, and ${found}`;
}

const MAX_FOLDERS = 20_000;

/** The first link below a folder that leads outside the roots, or that there are too many folders to search. */
function linkOutside(start: string, roots: readonly string[]): string | undefined {
  const waiting = [start];
  const known = new Set<string>();
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (known.has(folder)) continue;
    known.add(folder);
    if (known.size > MAX_FOLDERS) return `there are more than ${MAX_FOLDERS} folders to look for links in`;
    for (const entry of entriesOf(folder)) {
      const path = `${folder}/${entry.name}`;
      if (entry.name.includes("\uFFFD")) return `${folder} has a name that is not UTF-8`;
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isSymbolicLink()) {
        const real = realPath(path);
        if (!isInside(real, roots)) return `the link ${path} leads outside`;
        if (typeOf(real) === "folder") waiting.push(real);
      }
    }
  }
  return undefined;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // Unreadable for the command too, so it cannot follow a link in it.
  }
}

function isBare(folder: string): boolean {
  return has(folder, "HEAD") && ["objects", "refs", "commondir"].some((name) => has(folder, name));
}

function has(folder: string, name: string): boolean {
  return typeOf(join(folder, name)) !== undefined;
}

function typeOf(path: string): "folder" | "other" | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found && (found.isDirectory() ? "folder" : "other");
  } catch {
    return undefined;
  }
}

const MAX_TEXT = 4_096;

/** The text of a small regular file, or "". */
function textOf(path: string): string {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isFile() && found.size <= MAX_TEXT ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}
