export type { FleetOptions } from "./fleet-options.ts";
export { ServerFleetImpl } from "./server-fleet.ts";
export { startServerFleet } from "./start-server-fleet.ts";
export type { BreakerOptions, SupervisionOptions } from "./supervision-options.ts";
