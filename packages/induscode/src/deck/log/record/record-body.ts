import type { ToolDescriptor } from "indusagi/llm";
import type { BridgeEntry } from "../../ledger/index.ts";
import { isBridgeKey, replayedCapability } from "../../ledger/index.ts";

/** The version of the format, in the first record of every segment. */
export const LOG_VERSION = 1;

/** The first record of a segment. */
export interface SegmentTitle {
  readonly ledger: typeof LOG_VERSION;
  /** The segment's ULID. */
  readonly segment: string;
  /** The process that created it. */
  readonly pid: number;
  /** The time of creation, as ISO 8601. */
  readonly at: string;
}

/** An entry as the body of its record. The sequence number is in the record's head. */
export function formatEntry({ op, key, server, at, capability }: BridgeEntry): string {
  return JSON.stringify({ op, key, server, at, tool: capability?.descriptor });
}

/** The entry in a body. Undefined if it is not one that we know. An enrolled capability is returned without its runner. */
export function parseEntry(body: string, seq: number): BridgeEntry | undefined {
  const { op, key, server, at, tool } = membersOf(body);
  if (!isBridgeKey(key) || typeof server !== "string" || typeof at !== "string") return undefined;
  if (op === "retire") return Object.freeze({ op, key, server, seq, at });
  if (op !== "enroll" || !isDescriptor(tool)) return undefined;
  return Object.freeze({ op, key, server, capability: replayedCapability(tool, server), seq, at });
}

/** The title in a body. Undefined if it is not a title of this version. */
export function parseTitle(body: string): SegmentTitle | undefined {
  const { ledger, segment, pid, at } = membersOf(body);
  if (ledger !== LOG_VERSION || typeof segment !== "string") return undefined;
  if (typeof pid !== "number" || typeof at !== "string") return undefined;
  return { ledger, segment, pid, at };
}

function membersOf(body: string): Record<string, unknown> & BodyMembers {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The members that a body may have, not checked yet. */
interface BodyMembers {
  readonly op?: unknown;
  readonly key?: unknown;
  readonly server?: unknown;
  readonly at?: unknown;
  readonly tool?: unknown;
  readonly ledger?: unknown;
  readonly segment?: unknown;
  readonly pid?: unknown;
}

function isDescriptor(value: unknown): value is ToolDescriptor {
  return (
    isObject(value) &&
    typeof value["name"] === "string" &&
    typeof value["description"] === "string" &&
    isObject(value["parameters"])
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
