import { isTempName } from "indusagi/core";
import type { PathMark } from "../file-mark.ts";
import type { RewindStep } from "../rewind/rewind-step.ts";

/** The version of the format, in the first record of every session. */
export const STORE_VERSION = 3;
/** Version 1 had no commands; version 2 had no `keeping` record. */
const READABLE: readonly unknown[] = [1, 2, STORE_VERSION];

/** One event of a session. */
export type StoreRecord =
  /** A node begins. `at` is in milliseconds since the Unix epoch. */
  | { readonly op: "node"; readonly node: string; readonly at: number }
  /** The state of a path before the first change in a node. */
  | { readonly op: "before"; readonly node: string; readonly path: string; readonly mark: PathMark }
  /** The state of a path after a change of ours. */
  | { readonly op: "after"; readonly node: string; readonly path: string; readonly mark: PathMark }
  /** The contents of a workspace are about to be kept. */
  | { readonly op: "keeping" }
  /** The workspace before the commands of a node: the hash of the state, and the size of its contents. */
  | { readonly op: "folder"; readonly node: string; readonly state: string; readonly bytes: number }
  /** Commands of a node changed this path. Without `after`: or someone else did, after the commands were interrupted. */
  | {
      readonly op: "found";
      readonly node: string;
      readonly path: string;
      readonly mark: PathMark;
      readonly after?: PathMark;
      /** `lost`: it was not kept, and is gone or smaller. `moved`: it came from a place that was not kept. */
      readonly loss?: "lost" | "moved";
    }
  /** Everything that the commands of a node changed was found. */
  | { readonly op: "settled"; readonly node: string }
  /** The contents that no node needs were removed. */
  | { readonly op: "swept" }
  /** A limit removed a node. */
  | { readonly op: "drop"; readonly node: string }
  /** A rewind will change this path. */
  | { readonly op: "stage"; readonly step: RewindStep }
  /** All changes of the rewind are prepared. From here on it is finished, not undone. */
  | { readonly op: "commit"; readonly node: string }
  /** The rewind ended. With `node`: it and all later nodes are undone. Without: nothing was changed. */
  | { readonly op: "end"; readonly node?: string };

export interface StoreTitle {
  readonly session: string;
  /** The time of creation, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Undefined if the body is not a title of a readable version. */
export function parseStoreTitle(body: string): StoreTitle | undefined {
  const { checkpoints, session, at } = membersOf(body);
  if (!READABLE.includes(checkpoints) || typeof session !== "string" || typeof at !== "number")
    return undefined;
  return { session, at };
}

/** Undefined if the body is not a known record. */
export function parseStoreRecord(body: string): StoreRecord | undefined {
  const { op, node, at, path, mark, step, state, bytes, after, loss } = membersOf(body);
  if (op === "swept" || op === "keeping") return { op };
  if (op === "end") return isText(node) ? { op, node } : { op };
  if (op === "stage") return isStep(step) ? { op, step } : undefined;
  if (!isText(node)) return undefined;
  if (op === "node") return typeof at === "number" ? { op, node, at } : undefined;
  if (op === "drop" || op === "commit" || op === "settled") return { op, node };
  if (op === "folder")
    return isHash(state) && typeof bytes === "number" ? { op, node, state, bytes } : undefined;
  if (op === "found" && isText(path) && isMark(mark) && (after === undefined || isMark(after)))
    return {
      op,
      node,
      path,
      mark,
      ...(after === undefined ? {} : { after }),
      ...(loss === "lost" || loss === "moved" ? { loss } : {}),
    };
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
  readonly state?: unknown;
  readonly bytes?: unknown;
  readonly after?: unknown;
  readonly loss?: unknown;
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

/** A hash becomes part of a file name. */
const isHash = (value: unknown): value is string => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);

const TEXT_MARKS: readonly string[] = ["absent", "unknown", "ignored", "repository"] satisfies PathMark[];

function isMark(value: unknown): value is PathMark {
  if (typeof value === "string") return TEXT_MARKS.includes(value);
  if (typeof value !== "object" || value === null) return false;
  const { hash, size, mode, link, folder, other, owner } = value as { readonly [name: string]: unknown };
  if (other !== undefined) return other === true;
  if (link !== undefined) return isText(link);
  if (folder !== undefined) return typeof folder === "number";
  return isHash(hash) && typeof size === "number" && isOptional(mode, "number") && isOwner(owner);
}

/** User and group id. */
const isOwner = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger));

function isStep(value: unknown): value is RewindStep {
  if (typeof value !== "object" || value === null) return false;
  const { path, from, to, temp, old, room } = value as { readonly [name: string]: unknown };
  const isPlaced = isText(path) && isOptional(room, "string");
  return isPlaced && isMark(from) && isMark(to) && isTemp(temp) && isTemp(old);
}

/** It becomes part of a path in the workspace, so it must have our exact form. */
function isTemp(value: unknown): boolean {
  return value === undefined || (typeof value === "string" && isTempName(value));
}
