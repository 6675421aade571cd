import { isRecord } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";
import { type BridgeKey, isBridgeKey } from "../../ledger/index.ts";
import { isNoteOp, type LedgerNote, parseNote } from "./decision-record.ts";
import type { BodyCut } from "./stored-body.ts";

/** The version of the format, in the first record of every segment. */
export const LOG_VERSION = 2;

/** The first record of a segment. */
export interface SegmentTitle {
  /** The version that created the segment. A later one may have appended to it. */
  readonly ledger: number;
  /** The segment's ULID. */
  readonly segment: string;
  /** The process that created it. */
  readonly pid: number;
  /** The time of creation, as ISO 8601. */
  readonly at: string;
}

/** The descriptor of a tool, as a record holds it. */
export interface BodyRecord {
  /** Absent in version 1, where nothing refers to it. */
  readonly id?: string;
  readonly key: BridgeKey;
  readonly tool: ToolDescriptor;
  readonly cut?: BodyCut;
}

/**
 * The content of a record. A record of a type that version 1 did not have carries the version that introduced the type as
 * `v`. A reader keeps and skips a record whose `v` is greater than its own version; any other unknown record is damage.
 */
export type RecordContent =
  | EntriesContent
  /** The body of a tool that an entry of another segment refers to. */
  | { readonly type: "body"; readonly body: BodyRecord }
  | { readonly type: "note"; readonly note: LedgerNote }
  | { readonly type: "newer" };

/** The content of a record with entries. */
export type EntriesContent = Stamp &
  (
    | { readonly type: "enroll"; readonly body: BodyRecord }
    /** Tools whose bodies are stored elsewhere, possibly under other keys. */
    | { readonly type: "refer"; readonly bodies: readonly string[]; readonly keys?: readonly BridgeKey[] }
    | { readonly type: "retire"; readonly keys: readonly BridgeKey[] }
  );

interface Stamp {
  readonly server: string;
  readonly at: string;
  /** The number of the first entry, if it is not the one after the last. */
  readonly seq: number | undefined;
  /** How many changes each enrolled tool stands for; 0 means one. Older readers ignore it. */
  readonly flips?: readonly number[] | undefined;
}

/** Undefined if the text is not a known record. */
export function parseLedgerRecord(text: string): RecordContent | undefined {
  const members = membersOf(text);
  const { op, v } = members;
  if (typeof v === "number" && v > LOG_VERSION) return { type: "newer" };
  // By far the most common.
  if (op === "enroll") return parseEntries(members);
  if (isNoteOp(op)) {
    const note = parseNote(op, members);
    return note && { type: "note", note };
  }
  if (op === "body") {
    const body = bodyOf(members);
    return body?.id === undefined ? undefined : { type: "body", body };
  }
  return parseEntries(members);
}

function parseEntries(members: Members): RecordContent | undefined {
  const { op, server, at, seq, key, keys, bodies, flips } = members;
  if (typeof server !== "string" || typeof at !== "string") return undefined;
  if (!isOptionalInteger(seq)) return undefined;
  if (op === "retire") {
    if (isBridgeKey(key)) return { type: "retire", server, at, seq, keys: [key] };
    return areAll(keys, isBridgeKey) ? { type: "retire", server, at, seq, keys } : undefined;
  }
  if (op !== "enroll" || (flips !== undefined && !areAll(flips, isCount))) return undefined;
  if (bodies === undefined) {
    const body = bodyOf(members);
    return body && { type: "enroll", server, at, seq, flips, body };
  }
  if (!areAll(bodies, isBodyId)) return undefined;
  if (keys === undefined) return { type: "refer", server, at, seq, flips, bodies };
  if (!areAll(keys, isBridgeKey) || keys.length !== bodies.length) return undefined;
  return { type: "refer", server, at, seq, flips, bodies, keys };
}

function bodyOf({ body: id, key, tool, cut }: Members): BodyRecord | undefined {
  if (!isBridgeKey(key) || !isDescriptor(tool)) return undefined;
  if (id !== undefined && !isBodyId(id)) return undefined;
  if (cut !== undefined && !isCut(cut)) return undefined;
  if (cut) return id === undefined ? { key, tool, cut } : { id, key, tool, cut };
  return id === undefined ? { key, tool } : { id, key, tool };
}

/** Undefined if the text is not a title. */
export function parseSegmentTitle(text: string): SegmentTitle | undefined {
  const { ledger, segment, pid, at } = membersOf(text);
  if (!Number.isSafeInteger(ledger) || (ledger as number) < 1 || typeof segment !== "string")
    return undefined;
  if (typeof pid !== "number" || typeof at !== "string") return undefined;
  return { ledger: ledger as number, segment, pid, at };
}

/** The members that a body may have, not checked yet. */
interface Members {
  readonly [name: string]: unknown;
  readonly op?: unknown;
  readonly v?: unknown;
  readonly key?: unknown;
  readonly keys?: unknown;
  readonly flips?: unknown;
  readonly bodies?: unknown;
  readonly body?: unknown;
  readonly cut?: unknown;
  readonly seq?: unknown;
  readonly server?: unknown;
  readonly at?: unknown;
  readonly tool?: unknown;
  readonly ledger?: unknown;
  readonly segment?: unknown;
  readonly pid?: unknown;
}

function membersOf(text: string): Members {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function areAll<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is readonly Item[] {
  return Array.isArray(value) && value.length > 0 && value.every(isItem);
}

function isOptionalInteger(value: unknown): value is number | undefined {
  return value === undefined || Number.isSafeInteger(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isBodyId(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{32}$/.test(value);
}

function isCut(value: unknown): value is BodyCut {
  return isRecord(value) && typeof value["fingerprint"] === "string" && Number.isSafeInteger(value["units"]);
}

function isDescriptor(value: unknown): value is ToolDescriptor {
  return (
    isRecord(value) &&
    typeof value["name"] === "string" &&
    typeof value["description"] === "string" &&
    isRecord(value["parameters"])
  );
}
