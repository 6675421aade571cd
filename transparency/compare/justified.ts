import type { Era } from "../wire/session.ts";
import type { Difference } from "./difference.ts";

/** Where a difference was seen. */
export interface Place {
  readonly gateway: string;
  readonly server: string;
  /** Whether the door offers one server under its own names. */
  readonly isOwn: boolean;
  readonly clientEra: Era;
  readonly serverEra: Era;
  readonly step: string;
}

/** A difference that is right, with the reason. */
export interface Justification {
  readonly reason: string;
  readonly isMeant: (difference: Difference, place: Place) => boolean;
}

/** All differences that are right. Any other one is a failure. */
export const JUSTIFICATIONS: readonly Justification[] = [];

/** Why a difference is right. Undefined if it is a failure. */
export function reasonFor(difference: Difference, place: Place): string | undefined {
  return JUSTIFICATIONS.find(({ isMeant }) => isMeant(difference, place))?.reason;
}
