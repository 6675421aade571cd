export type { BreakerOptions, FleetOptions, SupervisionOptions } from "./fleet-options.ts";
export { ServerFleetImpl, startServerFleet } from "./server-fleet.ts";
