export { type FleetOptions, ServerFleetImpl } from "./server-fleet.ts";
export { startServerFleet } from "./start-server-fleet.ts";
