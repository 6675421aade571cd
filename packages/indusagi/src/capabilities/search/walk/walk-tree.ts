import type { ByteText, EntryKind, SearchRoot } from "../search-job.ts";
import type { GitignoreReader, Ruleset } from "./gitignore-rules.ts";

export interface TreeEntry {
  readonly name: ByteText;
  readonly kind: EntryKind;
}

/** The part of a file system that a search needs. Paths are absolute. */
export interface TreePort {
  /** The names in a folder; undefined if it cannot be read. */
  list(folder: ByteText): TreeEntry[] | undefined;
  /** A file's bytes, valid until the next call; undefined if it cannot be read. */
  read(file: ByteText, links: "follow" | "refuse"): Buffer | "too_large" | undefined;
}

/** Called for each name that is not ignored, in order. Returns whether to continue. */
export type Visit = (found: {
  readonly name: ByteText;
  /** Relative to the root. */
  readonly path: ByteText;
  /** Absolute. */
  readonly place: ByteText;
  readonly kind: EntryKind;
}) => boolean;

export interface TreeWalk {
  /** How many folders could not be read. */
  readonly unreadable: number;
}

/**
 * Walks a tree in the order of names, folder by folder, without following links. Skips `.git`, `node_modules` and what
 * `.gitignore` files exclude. Part of the worker's text: it must not use anything from outside its own braces.
 */
export function walkTree(
  port: TreePort,
  gitignore: GitignoreReader,
  root: SearchRoot,
  visit: Visit,
): TreeWalk {
  /** The rules of one folder. `from` is the length of the folder's absolute path with its slash. */
  interface Level {
    readonly ruleset: Ruleset;
    readonly from: number;
    readonly above: Level | undefined;
  }
  let unreadable = 0;

  function walk(folder: ByteText, path: ByteText, above: Level | undefined): boolean {
    const entries = port.list(folder);
    if (!entries) {
      unreadable++;
      return true;
    }
    const level = entries.some((entry) => entry.name === ".gitignore") ? withRules(folder, above) : above;
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, kind } of entries) {
      if (name === ".git" || name === "node_modules") continue;
      const place = slashed(folder) + name;
      const isFolder = kind === "directory";
      if (isIgnored(level, place, isFolder)) continue;
      if (!visit({ name, path: path + name, place, kind })) return false;
      if (isFolder && !walk(place, `${path}${name}/`, level)) return false;
    }
    return true;
  }

  function isIgnored(level: Level | undefined, place: ByteText, isFolder: boolean): boolean {
    for (let at = level; at; at = at.above) {
      const verdict = gitignore.verdict(at.ruleset, place.slice(at.from), isFolder);
      if (verdict !== undefined) return verdict;
    }
    return false;
  }

  function withRules(folder: ByteText, above: Level | undefined): Level | undefined {
    const bytes = port.read(`${slashed(folder)}.gitignore`, "follow");
    const ruleset = typeof bytes === "object" ? gitignore.parse(bytes.toString("latin1")) : undefined;
    return ruleset ? { ruleset, from: slashed(folder).length, above } : above;
  }

  /** The rules of the folders above the root, without the root's own. */
  function levelsAbove(): Level | undefined {
    let level: Level | undefined;
    let folder = root.rulesFrom;
    while (folder !== root.path) {
      level = withRules(folder, level);
      const next = root.path.indexOf("/", slashed(folder).length);
      folder = next === -1 ? root.path : root.path.slice(0, next);
    }
    return level;
  }

  function slashed(folder: ByteText): ByteText {
    return folder.endsWith("/") ? folder : `${folder}/`;
  }

  walk(root.path, "", levelsAbove());
  return { unreadable };
}
