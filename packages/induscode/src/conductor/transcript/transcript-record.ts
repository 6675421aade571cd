import type { TranscriptEntry } from "indusagi/runtime";
import { POLICY_MODES, type PolicyMode } from "../../policy/index.ts";
import type { RewindTarget } from "../contract.ts";

/** The version of the format. Later ones are refused. */
export const TRANSCRIPT_VERSION = 1;

/**
 * One line of a transcript file. Lines are only appended: a rewind is a line too, and what it undid stays in the file.
 */
export type TranscriptRecord =
  | {
      readonly type: "session";
      readonly version: number;
      readonly id: string;
      readonly at: number;
      readonly cwd: string;
    }
  /** A turn begins: the next entry is the user's message. `node`: the turn's files in the checkpoint store. */
  | { readonly type: "turn"; readonly at: number; readonly node?: string }
  | { readonly type: "entry"; readonly entry: TranscriptEntry }
  /** The checkpoint session that holds the nodes. The last one counts. */
  | { readonly type: "checkpoints"; readonly session: string }
  /**
   * The whole folder was saved before the first command of the turn. Earlier versions also wrote `after` and `paths`; now the
   * checkpoint store knows what the commands changed.
   */
  | {
      readonly type: "snapshot";
      readonly when: "before" | "after";
      readonly tree: string;
      readonly paths?: readonly string[];
    }
  | { readonly type: "mode"; readonly mode: PolicyMode }
  | { readonly type: "model"; readonly model: string }
  | { readonly type: "rewind"; readonly turn: number; readonly target: RewindTarget };

/** One record as a line. `redact` removes secrets from every text in it. */
export function formatTranscriptRecord(record: TranscriptRecord, redact: (text: string) => string): string {
  const replacer = (_key: string, value: unknown): unknown =>
    typeof value === "string" ? redact(value) : value;
  return `${JSON.stringify(record, replacer)}\n`;
}

/** Undefined if the line is not a record of this version. */
export function parseTranscriptRecord(line: string): TranscriptRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  return isRecord(value as { readonly [member: string]: unknown }) ? (value as TranscriptRecord) : undefined;
}

const ENTRY_KINDS: readonly unknown[] = ["user", "assistant", "tool", "compaction"];
const TARGETS: readonly unknown[] = ["files", "conversation", "both"];

function isRecord(record: { readonly [member: string]: unknown }): boolean {
  switch (record["type"]) {
    case "session":
      return (
        record["version"] === TRANSCRIPT_VERSION &&
        isText(record["id"]) &&
        isNumber(record["at"]) &&
        isText(record["cwd"])
      );
    case "turn":
      return isNumber(record["at"]) && (record["node"] === undefined || isText(record["node"]));
    case "entry":
      return isEntry(record["entry"]);
    case "checkpoints":
      return isText(record["session"]);
    case "snapshot":
      return isText(record["tree"]) && (record["when"] === "before" || record["when"] === "after");
    case "mode":
      return POLICY_MODES.includes(record["mode"] as PolicyMode);
    case "model":
      return isText(record["model"]);
    case "rewind":
      return isNumber(record["turn"]) && TARGETS.includes(record["target"]);
    default:
      return false;
  }
}

function isEntry(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { kind, content } = value as { readonly kind?: unknown; readonly content?: unknown };
  return ENTRY_KINDS.includes(kind) && (kind === "compaction" || Array.isArray(content));
}

const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);
