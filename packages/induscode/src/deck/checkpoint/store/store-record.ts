import type { PathMark } from "../file-mark.ts";
import type { RewindStep } from "../rewind/rewind-step.ts";

/** The version of the format, in the first record of every session. */
export const STORE_VERSION = 1;

/** One event of a session. */
export type StoreRecord =
  /** A node begins. `at` is in milliseconds since the Unix epoch. */
  | { readonly op: "node"; readonly node: string; readonly at: number }
  /** The state of a path before the first change in a node. */
  | { readonly op: "before"; readonly node: string; readonly path: string; readonly mark: PathMark }
  /** The state of a path after a change of ours. */
  | { readonly op: "after"; readonly node: string; readonly path: string; readonly mark: PathMark }
  /** A limit removed a node. */
  | { readonly op: "drop"; readonly node: string }
  /** A rewind will change this path. */
  | { readonly op: "stage"; readonly step: RewindStep }
  /** All changes of the rewind are prepared. From here on it is finished, not undone. */
  | { readonly op: "commit"; readonly node: string }
  /** The rewind ended. With `node`: it and all later nodes are undone. Without: nothing was changed. */
  | { readonly op: "end"; readonly node?: string };

export interface StoreTitle {
  readonly checkpoints: typeof STORE_VERSION;
  readonly session: string;
  /** The time of creation, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** The title in a body. Undefined if it is not a title of this version. */
export function parseTitle(body: string): StoreTitle | undefined {
  const { checkpoints, session, at } = membersOf(body);
  if (checkpoints !== STORE_VERSION || typeof session !== "string" || typeof at !== "number")
    return undefined;
  return { checkpoints, session, at };
}

/** The record in a body. Undefined if it is not one that we know. */
export function parseStoreRecord(body: string): StoreRecord | undefined {
  const { op, node, at, path, mark, step } = membersOf(body);
  if (op === "end") return isText(node) ? { op, node } : { op };
  if (op === "stage") return isStep(step) ? { op, step } : undefined;
  if (!isText(node)) return undefined;
  if (op === "node") return typeof at === "number" ? { op, node, at } : undefined;
  if (op === "drop" || op === "commit") return { op, node };
  if ((op !== "before" && op !== "after") || !isText(path) || !isMark(mark)) return undefined;
  return { op, node, path, mark };
}

interface Members {
  readonly [name: string]: unknown;
  readonly op?: unknown;
  readonly node?: unknown;
  readonly at?: unknown;
  readonly path?: unknown;
  readonly mark?: unknown;
  readonly step?: unknown;
  readonly checkpoints?: unknown;
  readonly session?: unknown;
}

function membersOf(body: string): Members {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Members) : {};
  } catch {
    return {};
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const isOptional = (value: unknown, type: string): boolean => value === undefined || typeof value === type;

function isMark(value: unknown): value is PathMark {
  if (value === "absent" || value === "unknown") return true;
  if (typeof value !== "object" || value === null) return false;
  const { hash, size, mode } = value as { hash?: unknown; size?: unknown; mode?: unknown };
  // A hash becomes part of a file name.
  const isHash = typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash);
  return isHash && typeof size === "number" && isOptional(mode, "number");
}

function isStep(value: unknown): value is RewindStep {
  if (typeof value !== "object" || value === null) return false;
  const { path, from, to, temp, old } = value as { readonly [name: string]: unknown };
  return isText(path) && isMark(from) && isMark(to) && isTempName(temp) && isTempName(old);
}

/** Both become part of a path in the workspace, so they must be plain names of ours. */
function isTempName(value: unknown): boolean {
  return value === undefined || (typeof value === "string" && /^\.indus-[0-9A-Z-]+\.tmp$/.test(value));
}
