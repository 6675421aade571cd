export { isWorthRepeating, runLeased } from "./endpoint-lease.ts";
export type {
  BreakerOptions,
  ClassSeed,
  FleetOptions,
  HealthOptions,
  SupervisionOptions,
} from "./fleet-options.ts";
export type { InstanceScope } from "./instances/instance-key.ts";
export { InstancePool, type InstanceStatus, type PoolMember } from "./instances/instance-pool.ts";
export { ServerFleetImpl, startServerFleet } from "./server-fleet.ts";
export type { StartOptions } from "./starts/start-options.ts";
