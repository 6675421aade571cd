/** The kinds of damage to a record. */
export type DamageKind =
  /** It does not have the form of a record. */
  | "malformed"
  /** Its checksum does not match. */
  | "checksum"
  /** It repeats the previous record exactly. */
  | "duplicate"
  /** Its sequence number was used before. */
  | "repeat"
  /** Sequence numbers are missing before it. */
  | "gap"
  /** It is intact, but not a known entry: written by another version, or by hand. */
  | "content";

/** Damage that a torn write cannot explain, and where it starts. */
export interface LogDamage {
  readonly kind: DamageKind;
  /** The offset of the damaged record. Everything before it is intact. */
  readonly offset: number;
  readonly message: string;
}
