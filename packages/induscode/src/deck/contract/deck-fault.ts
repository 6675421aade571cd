import { CoreError } from "indusagi/core";

/**
 * Why a function of the deck failed:
 *
 * - `unknown_capability`: no capability has this id
 * - `build_failed`: a card could not be built
 * - `bridge`: servers could not be mounted as configured
 * - `backend`: a handle is missing or failed
 */
export type DeckFaultKind = "unknown_capability" | "build_failed" | "bridge" | "backend";

/** A failure of the deck. */
export class DeckFault extends CoreError<DeckFaultKind> {}

/** The result of a function that throws `DeckFault` when it fails. */
export type DeckResult<T> = T;
