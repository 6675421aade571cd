import { basename, dirname } from "node:path";
import { type EntryMark, isFolderMark, isSameMark, type PathMark } from "./file-mark.ts";

/** Why something that exists is not kept. */
type UnkeptReason =
  /** A rule of a `.gitignore` file. */
  | "ignored"
  /** A repository, or its config or hooks. */
  | "repository"
  /** More than 8 MiB. */
  | "large"
  | "unreadable"
  | "not_a_file"
  /** A folder whose name is not UTF-8. */
  | "not_utf8"
  /** The first entry that commands created beyond the limit. */
  | "too_many";

export interface Unkept {
  readonly unkept: UnkeptReason;
  /** Changes when the file does, if that can be seen without reading it. */
  readonly version?: string;
  readonly size?: number;
  /** Ignored by a rule that did not exist when the commands began. */
  readonly isNew?: true;
}

/** Distinguishes a moved file or folder from a new one. */
export interface Origin {
  /** Stays the same when it is renamed. */
  readonly id?: string;
  /** Older than the commands. */
  readonly isOld?: true;
}

/** Everything in the folders of a workspace, by absolute path. Has nothing below an entry that is not kept. */
export type FolderState = ReadonlyMap<string, (EntryMark | Unkept) & Origin>;

/** One path that differs between two states. */
export interface FolderChange {
  readonly path: string;
  readonly before: PathMark;
  readonly after: PathMark;
  /** `lost`: something that was not kept is gone or smaller. `moved`: something that was not kept is now here. */
  readonly loss?: "lost" | "moved" | undefined;
}

/**
 * The changes between two states. A path that the first state does not cover is included only if it is known to have
 * changed: as `unknown`, which a rewind leaves alone. The same goes for what came from such a path: it may be the only copy.
 */
export function changesBetween(before: FolderState, after: FolderState): FolderChange[] {
  const changes: FolderChange[] = [];
  const isMoved = movedFrom(before);
  const parents = new Set([...after.keys()].map((path) => dirname(path)));
  const ids = new Set([...after.values()].map(({ id }) => id));
  const movedFolders = new Set<string>();
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [one, other] = [stateOf(before, path), stateOf(after, path)];
    // Skip what is below an entry that is not kept, and new files that existing rules ignore.
    if (
      "hidden" in one ||
      ("absent" in one && "unkept" in other && other.unkept === "ignored" && !other.isNew)
    )
      continue;
    if (isSameUnkept(one, other)) continue;
    // A state lists a folder before its contents.
    if ("absent" in one && movedFolders.has(dirname(path))) {
      movedFolders.add(path);
      continue;
    }
    const [from, to] = [markOf(one), markOf(other)];
    const hasCome = !("unkept" in one) && isMoved(other);
    if (hasCome && isFolderMark(to)) movedFolders.add(path);
    const isOutOfReach = from === "absent" && "unkept" in other && OUT_OF_REACH.has(other.unkept);
    const isLost = "unkept" in one && isGone(one, other, ids);
    const change: FolderChange = {
      path,
      before: isOutOfReach ? to : hasCome && from === "absent" ? "unknown" : from,
      after: to,
      loss: hasCome ? "moved" : isLost ? "lost" : undefined,
    };
    if (isSameMark(change.before, change.after) || isPlaceholder(change, before, after, parents)) continue;
    changes.push(change);
  }
  return changes;
}

/** Tells whether something comes from a place that was not kept, in the workspace or outside of it. */
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

/** Whether something that was not kept is gone, at least in part. Does not look into a recreated folder. */
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
    // A repository's config and hooks are tracked.
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
 * While a command runs, the sandbox may hold names such as `.cursor` and `opencode.json` with an empty folder. A rewind must
 * not free such a name. `parents`: the folders that are not empty.
 */
function isPlaceholder(
  { path, before, after }: FolderChange,
  ...[first, last, parents]: [FolderState, FolderState, ReadonlySet<string>]
): boolean {
  if (before !== "absent" || !isFolderMark(after) || !basename(path).includes(".")) return false;
  const isInRoot = !first.has(dirname(path)) && !last.has(dirname(path));
  return isInRoot && !parents.has(path);
}

/** Serializes a state. */
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
