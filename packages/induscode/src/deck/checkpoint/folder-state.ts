import { basename, dirname } from "node:path";
import { type EntryMark, isFolder, isSameMark, type PathMark } from "./file-mark.ts";

/** Why something that exists is not kept. */
type UnkeptReason =
  /** A rule of a `.gitignore` file. */
  | "ignored"
  /** A repository, a setting or a hook of one. */
  | "repository"
  /** More than 8 MiB. */
  | "large"
  | "unreadable"
  | "not_a_file"
  /** A folder whose name is not UTF-8. */
  | "not_utf8"
  /** The first of those that commands made beyond the limit. */
  | "too_many";

export interface Unkept {
  readonly unkept: UnkeptReason;
  /** Changes when the file does, if that can be seen without reading it. */
  readonly version?: string;
  readonly size?: number;
  /** It is ignored by a rule that was not there when the commands began. */
  readonly isNew?: true;
}

/** What tells a file or folder that was moved from one that was made. */
export interface Origin {
  /** The same under every name that it gets. */
  readonly id?: string;
  /** It is older than the commands. */
  readonly isOld?: true;
}

/** Everything in the folders of a workspace, by absolute path. What is below an entry that is not kept is not in it. */
export type FolderState = ReadonlyMap<string, (EntryMark | Unkept) & Origin>;

/** One path that differs between two states. */
export interface FolderChange {
  readonly path: string;
  readonly before: PathMark;
  readonly after: PathMark;
  /** `lost`: something that was not kept is gone or smaller. `moved`: something that was not kept is here now. */
  readonly loss?: "lost" | "moved";
}

/**
 * What was changed from one state to the other. A path that the first state does not cover is in it only if it is known to
 * have changed: as `unknown`, which a rewind leaves alone. So is what came from such a path: it may be the only copy.
 */
export function changesBetween(before: FolderState, after: FolderState): FolderChange[] {
  const changes: FolderChange[] = [];
  const isMoved = movedFrom(before);
  const parents = new Set([...after.keys()].map((path) => dirname(path)));
  const ids = new Set([...after.values()].map(({ id }) => id));
  const movedFolders = new Set<string>();
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [one, other] = [stateOf(before, path), stateOf(after, path)];
    // What is below something that is not kept is not followed, nor is a new file that was to be ignored all along.
    if (
      "hidden" in one ||
      ("absent" in one && "unkept" in other && other.unkept === "ignored" && !other.isNew)
    )
      continue;
    if (isSameUnkept(one, other)) continue;
    // A state has a folder before what is in it.
    if ("absent" in one && movedFolders.has(dirname(path))) {
      movedFolders.add(path);
      continue;
    }
    const [from, to] = [markOf(one), markOf(other)];
    const hasCome = !("unkept" in one) && isMoved(other);
    if (hasCome && isFolder(to)) movedFolders.add(path);
    const isOutOfReach = from === "absent" && "unkept" in other && OUT_OF_REACH.has(other.unkept);
    const isLost = "unkept" in one && isGone(one, other, ids);
    const change = {
      path,
      before: isOutOfReach ? to : hasCome && from === "absent" ? "unknown" : from,
      after: to,
      ...(isLost && { loss: "lost" as const }),
      ...(hasCome && { loss: "moved" as const }),
    };
    if (isSameMark(change.before, change.after) || isPlaceholder(change, before, after, parents)) continue;
    changes.push(change);
  }
  return changes;
}

/** Tells whether something comes from a place that was not kept: the folder's own, or one outside of it. */
function movedFrom(before: FolderState): (state: PathState) => boolean {
  const unkept = new Set<string>();
  const kept = new Set<string>();
  for (const entry of before.values()) if (entry.id) ("unkept" in entry ? unkept : kept).add(entry.id);
  return (state) => {
    if ("absent" in state || "hidden" in state || state.id === undefined) return false;
    return unkept.has(state.id) || (state.isOld === true && !kept.has(state.id) && !("folder" in state));
  };
}

function isSameUnkept(one: PathState, other: PathState): boolean {
  return "unkept" in one && "unkept" in other && one.version === other.version;
}

/** Whether what was not kept is no longer there as a whole. A folder that is made anew is not looked into. */
function isGone(one: Unkept & Origin, other: PathState, ids: ReadonlySet<string | undefined>): boolean {
  if ("absent" in other) return one.id === undefined || !ids.has(one.id);
  return one.size !== undefined && "size" in other && (other.size ?? one.size) < one.size;
}

const OUT_OF_REACH: ReadonlySet<UnkeptReason> = new Set(["ignored", "repository", "not_utf8", "too_many"]);

/** `hidden`: below something that is not kept. */
type PathState =
  | (EntryMark & Origin)
  | (Unkept & Origin)
  | { readonly absent: true }
  | { readonly hidden: true };

function stateOf(state: FolderState, path: string): PathState {
  const own = state.get(path);
  if (own) return own;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const above = state.get(folder);
    // What names programs in a repository is followed.
    if (above && "unkept" in above && !isGit(basename(folder))) return { hidden: true };
  }
  return { absent: true };
}

function markOf(state: PathState): PathMark {
  if ("absent" in state) return "absent";
  if ("hidden" in state) return "unknown";
  if (!("unkept" in state)) {
    const { id: _, isOld: __, ...mark } = state;
    return mark;
  }
  if (state.unkept === "not_a_file") return { other: true };
  return state.unkept === "ignored" || state.unkept === "repository" ? state.unkept : "unknown";
}

/**
 * While a command runs, the sandbox may hold names such as `.cursor` and `opencode.json` with an empty folder. Such a name
 * must not be freed by a rewind. `parents`: the folders with something in them.
 */
function isPlaceholder(
  { path, before, after }: FolderChange,
  ...[first, last, parents]: [FolderState, FolderState, ReadonlySet<string>]
): boolean {
  if (before !== "absent" || !isFolder(after) || !basename(path).includes(".")) return false;
  const isInRoot = !first.has(dirname(path)) && !last.has(dirname(path));
  return isInRoot && !parents.has(path);
}

/** A state as text, to keep it. */
export function formatState(state: FolderState): string {
  return [...state].map((entry) => JSON.stringify(entry)).join("\n");
}

export function parseState(text: string): FolderState {
  return new Map(
    text
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as [string, (EntryMark | Unkept) & Origin]])),
  );
}

/** The contents of a state, by hash. */
export function contentsOf(state: FolderState): Map<string, number> {
  return new Map(
    [...state.values()].flatMap((mark) => ("hash" in mark ? [[mark.hash, mark.size] as const] : [])),
  );
}

/** The name of a repository in its work tree. */
export const isGit = (name: string): boolean =>
  name === ".git" || (process.platform !== "linux" && name.toLowerCase() === ".git");
