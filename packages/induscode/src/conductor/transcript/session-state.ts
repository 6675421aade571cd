import type { UserMessage } from "indusagi/llm";
import type { TranscriptEntry } from "indusagi/runtime";
import type { PolicyMode } from "../../policy/index.ts";
import type { TranscriptRecord } from "./transcript-record.ts";

/** The saved files of one turn. */
export interface TurnFileMark {
  /** The node of the checkpoint store. */
  readonly node?: string;
  /** The folder before the first command of the turn. */
  before?: string;
}

/** A turn of the conversation. */
export interface TurnMark {
  readonly at: number;
  /** Where its entries begin. */
  readonly position: number;
  /** Where its files begin, in `SessionState.marks`. */
  readonly mark: number;
}

/**
 * The state that the records of a transcript add up to. The conversation and the files are tracked separately, because a rewind
 * may undo one without the other.
 */
export class SessionState {
  id = "";
  at = 0;
  cwd = "";
  /** Every checkpoint session that was used. The last one counts. */
  readonly checkpointSessions: string[] = [];
  mode: PolicyMode | undefined;
  model: string | undefined;
  readonly entries: TranscriptEntry[] = [];
  readonly turns: TurnMark[] = [];
  readonly marks: TurnFileMark[] = [];

  get checkpoints(): string | undefined {
    return this.checkpointSessions.at(-1);
  }

  apply(record: TranscriptRecord): void {
    switch (record.type) {
      case "session":
        this.id = record.id;
        this.at = record.at;
        this.cwd = record.cwd;
        break;
      case "turn":
        this.turns.push({ at: record.at, position: this.entries.length, mark: this.marks.length });
        this.marks.push(record.node === undefined ? {} : { node: record.node });
        break;
      case "entry":
        this.entries.push(record.entry);
        break;
      case "checkpoints":
        this.checkpointSessions.push(record.session);
        break;
      case "snapshot":
        this.#snapshot(record);
        break;
      case "mode":
        this.mode = record.mode;
        break;
      case "model":
        this.model = record.model;
        break;
      case "rewind":
        this.#rewind(record);
        break;
    }
  }

  /** The text of the user's message of a turn. */
  textOf({ position }: TurnMark): string {
    const entry = this.entries[position];
    return entry?.kind === "user" ? textOf(entry.content) : "";
  }

  /** Whether nothing has answered the message of the last turn: neither a text nor a call. */
  get isUnanswered(): boolean {
    const last = this.turns.at(-1);
    return (
      last !== undefined &&
      this.entries
        .slice(last.position)
        .every((entry) => entry.kind !== "tool" && (entry.kind !== "assistant" || entry.content.length === 0))
    );
  }

  #snapshot({ when, tree }: Extract<TranscriptRecord, { readonly type: "snapshot" }>): void {
    const mark = this.marks.at(-1);
    if (mark && when === "before") mark.before = tree;
  }

  #rewind({ turn, target }: Extract<TranscriptRecord, { readonly type: "rewind" }>): void {
    const found = this.turns[turn - 1];
    if (!found) return;
    if (target !== "conversation") this.marks.length = Math.min(this.marks.length, found.mark);
    if (target === "files") return;
    this.entries.length = found.position;
    this.turns.length = turn - 1;
  }
}

/** The text of a message, without its images. */
export function textOf(content: UserMessage["content"]): string {
  return content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}
