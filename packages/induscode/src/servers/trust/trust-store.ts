import { CoreError } from "indusagi/core";

export type TrustVerdict = "approved" | "refused";

/** What a user decided about one form of the row of one server. */
export interface TrustDecision {
  readonly server: string;
  /** The approval hash of the row. Only the hash is stored, because the row may contain secrets. */
  readonly launch: string;
  /** A hash of each part of the row, by its name. Absent in decisions of older versions. */
  readonly parts?: { readonly [part: string]: string };
  readonly verdict: TrustVerdict;
  /** ISO 8601. */
  readonly at: string;
}

/** A decision, or a clause that explains why the stored one cannot be used. */
export type TrustReading = TrustDecision | { readonly problem: string };

/**
 * What a user decided about the servers of one project. A decision is bound to the server's name and to the hash of its
 * row (`approvalHash`), so it is void as soon as one byte of what the row decides changes.
 */
export interface TrustStore {
  /** The folder of the decisions, if they are on disk. It changes with each decision. */
  readonly folder?: string;
  /** The decision about a launch; `undefined` if there is none. Never throws. */
  decision(server: string, launch: string): TrustReading | undefined;
  /** All decisions that can be read. Never throws. */
  decisions(): readonly TrustDecision[];
  /** Lets a server start with this launch. `parts` (see `approvalParts`) later show what changed. Throws a `TrustError`. */
  approve(server: string, launch: string, parts?: TrustDecision["parts"]): void;
  /** Keeps a server from being started or asked about again. Throws a `TrustError`. */
  refuse(server: string, launch: string): void;
  /** Removes every decision about a server and returns their number. Throws a `TrustError`. */
  forget(server: string): number;
}

/** The launch is not a hash (`bad_launch`), or the decision cannot be written (`unwritable`). */
export type TrustErrorKind = "bad_launch" | "unwritable";

/** A decision that could not be stored or removed. Reading never throws. */
export class TrustError extends CoreError<TrustErrorKind> {}
