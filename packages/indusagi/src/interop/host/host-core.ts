import type { BoxSource, HostClient, HostProviders, ProviderHostInfo } from "../contract/index.ts";
import type { FirstListings } from "./offer/first-listings.ts";
import type { ParkedCalls, ParkingLimits } from "./questions/parked-calls.ts";
import type { JsonBudget } from "./request/json-budget.ts";
import type { ResourceWatchers } from "./subscriptions/resource-watchers.ts";

export interface ProviderHostOptions {
  /** Limits for questions that wait for a modern client to return with answers. */
  readonly questions?: Partial<ParkingLimits>;
  /** Limits for the structure of a call's arguments. */
  readonly json?: Partial<JsonBudget>;
  /**
   * Called when a client asks for the tools for the first time; the answer waits for it. Without a connection, clients are told
   * apart by principal and name.
   */
  readonly beforeFirstListing?: (client: HostClient) => Promise<void>;
  /** Called with problems that no client is told about: invalid messages, or messages that could not be sent. */
  readonly report?: (message: string) => void;
}

/** What all connections of one host share. */
export interface HostCore {
  readonly box: BoxSource;
  readonly info: ProviderHostInfo;
  readonly providers: HostProviders;
  readonly json: JsonBudget;
  readonly questionMs: number;
  readonly parked: ParkedCalls;
  readonly watches: ResourceWatchers;
  readonly firstListings: FirstListings;
  /** Seals state that a client holds and must return unchanged. */
  readonly stateKey: Uint8Array;
  report(message: string): void;
}
