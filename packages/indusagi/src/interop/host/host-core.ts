import type { BoxSource, HostProviders, ProviderHostInfo } from "../contract/index.ts";
import type { ParkedCalls, ParkingLimits } from "./questions/parked-calls.ts";
import type { JsonBudget } from "./request/json-budget.ts";
import type { ResourceWatchers } from "./subscriptions/resource-watchers.ts";

export interface ProviderHostOptions {
  /** Limits on questions that wait for a client of the modern era to come back with answers. */
  readonly questions?: Partial<ParkingLimits>;
  /** How much structure the arguments of a call may have. */
  readonly json?: Partial<JsonBudget>;
  /** Hears what went wrong without anybody being told: a client that speaks nonsense, a message that could not be sent. */
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
  /** Seals what goes through a client's hands and must come back unchanged. */
  readonly stateKey: Uint8Array;
  report(message: string): void;
}
