/** `note`: worth knowing. `warning`: works, but not well. `problem`: does not work. */
export type Health = "ok" | "note" | "warning" | "problem";

/** The result of one check. */
export interface Finding {
  readonly health: Health;
  readonly what: string;
  /** What the user can do about it. */
  readonly remedy?: string;
}
