import { contentHash } from "indusagi/core";
import type { PinLevel } from "indusagi/interop";
import type { ToolSelfDescription } from "../../deck/ledger/index.ts";

/** The version of `formHash` and of what a form contains. Pins of another version are silently made again. */
export const PIN_FORMULA = 1;

/** What is pinned. */
export type PinSubject = "tool" | "prompt" | "instructions";

/** The approved form of a tool, a prompt or the instructions of a server. */
export interface Pin {
  /** See `formHash`. */
  readonly hash: string;
  /** Absent if it is too large to keep. */
  readonly form?: ToolSelfDescription | undefined;
  /** Its texts contain numbers or dates that change. */
  readonly isVolatile?: true | undefined;
  /** The last different form, until a user approves it or the server returns to the approved one. */
  readonly waiting?: WaitingForm | undefined;
}

export interface WaitingForm {
  readonly hash: string;
  readonly form?: ToolSelfDescription | undefined;
  readonly op: "hold" | "quarantine";
  /** The level at which that was decided. */
  readonly level: PinLevel;
  /** A clause. */
  readonly reason: string;
  /** ISO 8601. */
  readonly at: string;
  /** A user has refused it: it waits no longer, until the server changes it again. */
  readonly isRefused?: true | undefined;
}

/** The pins of one server. */
export interface ServerPins {
  readonly server: string;
  /** A hash of what the launch starts, without its version: another program under the same name is another server. */
  readonly source: string;
  /** The version that the server reported at its last listing. */
  readonly version?: string | undefined;
  /** The exact package version in its row at that time. */
  readonly packageVersion?: string | undefined;
  /** By `pinKey`, least recently seen first. */
  readonly pins: ReadonlyMap<string, Pin>;
}

/** A form that a server lists now. */
export interface SeenForm {
  readonly hash: string;
  readonly form: ToolSelfDescription;
}

/** The longest form that is kept, as JSON. */
const MAX_FORM_UNITS = 256 * 1024;

export function seenForm(form: ToolSelfDescription): SeenForm {
  return { hash: formHash(form), form };
}

/** The pin of an approved form. */
export function pinOf({ hash, form }: SeenForm): Pin {
  return { hash, form: keptForm(form) };
}

/** Undefined for a form that is too large: its hash still shows that it changed. */
export function keptForm(form: ToolSelfDescription): ToolSelfDescription | undefined {
  return JSON.stringify(form).length <= MAX_FORM_UNITS ? form : undefined;
}

/** 32 hex digits: for a tool, its fingerprint; for a prompt or instructions, made the same way. */
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
