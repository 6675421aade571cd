/** What can be wrong with a record. */
export type DamageKind =
  /** It has not the form of a record. */
  | "malformed"
  /** Its bytes are not those that were written. */
  | "checksum"
  /** It is the record before it once more. */
  | "duplicate"
  /** Its number was there before. */
  | "repeat"
  /** Numbers are missing before it. */
  | "gap"
  /** It is intact, but not an entry we know: written by another version, or by hand. */
  | "content";

/** Damage that cutting off the end of the file does not explain, and where it begins. */
export interface LogDamage {
  readonly kind: DamageKind;
  /** The byte at which the damaged record begins. Everything before it is intact. */
  readonly offset: number;
  readonly message: string;
}
