export type { BreakerOptions, FleetOptions, HealthOptions, SupervisionOptions } from "./fleet-options.ts";
export { runLeased } from "./run-leased.ts";
export { ServerFleetImpl, startServerFleet } from "./server-fleet.ts";
export type { StartOptions } from "./starts/start-options.ts";
