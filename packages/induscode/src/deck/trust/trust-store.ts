export type TrustVerdict = "approved" | "refused";

/** What a user decided about one launch of one server. */
export interface TrustDecision {
  readonly server: string;
  /** The launch hash of the row. Only the hash is stored: the launch may contain secrets. */
  readonly launch: string;
  readonly verdict: TrustVerdict;
  /** ISO 8601. */
  readonly at: string;
}

/** A decision, or a clause that explains why the stored one cannot be used. */
export type TrustReading = TrustDecision | { readonly problem: string };

/**
 * What a user decided about the servers of one project. A decision is bound to the server's name and to the hash of its
 * launch, so that it is void as soon as one byte of the launch changes.
 */
export interface TrustStore {
  /** The folder of the decisions, if they are on a disk. It changes with each decision. */
  readonly folder?: string;
  /** The decision about a launch; `undefined` if there is none. Never throws. */
  decision(server: string, launch: string): TrustReading | undefined;
  /** All decisions that can be read. Never throws. */
  decisions(): readonly TrustDecision[];
  /** Lets a server start with this launch. Throws a `TrustError`. */
  approve(server: string, launch: string): void;
  /** Keeps a server from being started or asked about again. Throws a `TrustError`. */
  refuse(server: string, launch: string): void;
  /** Removes every decision about a server and returns their number. Throws a `TrustError`. */
  forget(server: string): number;
}
