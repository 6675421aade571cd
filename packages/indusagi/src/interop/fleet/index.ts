export type { BreakerOptions, FleetOptions, HealthOptions, SupervisionOptions } from "./fleet-options.ts";
export { ServerFleetImpl, startServerFleet } from "./server-fleet.ts";
