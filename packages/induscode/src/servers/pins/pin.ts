import { contentHash } from "indusagi/core";
import type { PinLevel } from "indusagi/interop";
import type { ToolSelfDescription } from "../../deck/ledger/index.ts";

/** The version of `formHash` and of what a form contains. A pin made by another version is made again, without a notice. */
export const PIN_FORMULA = 1;

/** What is pinned. */
export type PinSubject = "tool" | "prompt" | "instructions";

/** The approved form of a tool, a prompt or the instructions of a server. */
export interface Pin {
  /** See `formHash`. */
  readonly hash: string;
  /** Absent if it is too large to be kept. */
  readonly form?: ToolSelfDescription;
  /** Its texts contain numbers or dates that change. */
  readonly isVolatile?: true;
  /** The last other form that was seen, until a user approves it or the server returns to the approved one. */
  readonly waiting?: WaitingForm;
}

export interface WaitingForm {
  readonly hash: string;
  readonly form?: ToolSelfDescription;
  readonly op: "hold" | "quarantine";
  /** The level at which that was decided. */
  readonly level: PinLevel;
  /** A clause. */
  readonly reason: string;
  /** ISO 8601. */
  readonly at: string;
}

/** The pins of one server. */
export interface ServerPins {
  readonly server: string;
  /** A hash of what the launch starts, without its version: another program under the same name is another server. */
  readonly source: string;
  /** What the server reported when it was last listed. */
  readonly version?: string;
  /** The exact version that the row named then. */
  readonly packageVersion?: string;
  /** By `pinKey`. Those that were not seen for the longest time come first. */
  readonly pins: ReadonlyMap<string, Pin>;
}

/** A form that a server shows now. */
export interface SeenForm {
  readonly hash: string;
  readonly form: ToolSelfDescription;
}

/** The longest form that is kept, as JSON. */
const MAX_FORM_UNITS = 256 * 1024;

export function seenForm(form: ToolSelfDescription): SeenForm {
  return { hash: formHash(form), form };
}

/** The pin of a form that is approved. */
export function pinOf({ hash, form }: SeenForm): Pin {
  return { hash, ...keptForm(form) };
}

/** A form that is too large is not kept: its hash still shows that it changed. */
export function keptForm(form: ToolSelfDescription): { readonly form?: ToolSelfDescription } {
  return JSON.stringify(form).length <= MAX_FORM_UNITS ? { form } : {};
}

/** 32 hex digits: the fingerprint of a tool, and the same for a prompt and for instructions. */
export function formHash(form: ToolSelfDescription): string {
  return contentHash(form);
}

export function pinKey(subject: PinSubject, name: string): string {
  return `${subject}/${name}`;
}

/** The subject and name of a key. */
export function parsePinKey(
  key: string,
): { readonly subject: PinSubject; readonly name: string } | undefined {
  const [, subject, name] = /^(tool|prompt|instructions)\/(.*)$/s.exec(key) ?? [];
  return subject === undefined ? undefined : { subject: subject as PinSubject, name: name ?? "" };
}
