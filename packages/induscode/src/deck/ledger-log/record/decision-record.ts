/** What was decided about something that a server changed. */
export type DecisionOp =
  /** The approved text stays in use. */
  | "hold"
  /** The new form is used. */
  | "adopt"
  /** The tool is neither listed nor callable. */
  | "quarantine"
  /** A person approved the new form. */
  | "approve";

/** A decision about a changed tool, prompt or instruction. It does not change the live view of the ledger. */
export interface DecisionRecord {
  readonly op: DecisionOp;
  readonly server: string;
  /** The exact name on the server. For its instructions: `""`. */
  readonly tool: string;
  /** Default: a tool. */
  readonly subject?: "prompt" | "instructions";
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** The hash of the approved form. */
  readonly before?: string;
  /** The hash of the changed form. */
  readonly after?: string;
  /** What changed, as text. */
  readonly difference?: string;
  readonly reason?: string;
}

/** An entry that could not be stored: not JSON, or too large even when cut. */
export interface RefusedRecord {
  readonly op: "refused";
  readonly server: string;
  readonly at: string;
  /** The number of the entry. */
  readonly seq: number;
  readonly reason: string;
}

/** A record that is not an entry of the ledger. */
export type LedgerNote = DecisionRecord | RefusedRecord;

/** The members that each type of note must and may have. */
const NOTES: { readonly [op in LedgerNote["op"]]: NoteForm } = {
  hold: decisionForm(),
  adopt: decisionForm(),
  quarantine: decisionForm(),
  approve: decisionForm(),
  refused: { texts: ["server", "at", "reason"], numbers: ["seq"], optional: [] },
};

interface NoteForm {
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
  readonly optional: readonly string[];
}

function decisionForm(): NoteForm {
  return {
    texts: ["server", "tool", "at"],
    numbers: [],
    optional: ["subject", "before", "after", "difference", "reason"],
  };
}

/** Whether a value is a note rather than an entry. */
export function isNoteOp(op: unknown): op is LedgerNote["op"] {
  return typeof op === "string" && Object.hasOwn(NOTES, op);
}

/** Undefined if a member is missing or has the wrong type. */
export function parseNote(
  op: LedgerNote["op"],
  members: Readonly<Record<string, unknown>>,
): LedgerNote | undefined {
  const { texts, numbers, optional } = NOTES[op];
  const isText = (name: string): boolean => typeof members[name] === "string";
  if (!texts.every(isText)) return undefined;
  if (!numbers.every((name) => Number.isSafeInteger(members[name]))) return undefined;
  const present = optional.filter((name) => members[name] !== undefined);
  if (!present.every(isText)) return undefined;
  const kept = [...texts, ...numbers, ...present].map((name) => [name, members[name]]);
  return Object.freeze({ op, ...Object.fromEntries(kept) }) as LedgerNote;
}
