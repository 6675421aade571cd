export { bridgeConfig } from "./bridge-config.ts";
export {
  type DiscoveredConfig,
  type DiscoveredServer,
  type DiscoverOptions,
  discoverMcpConfig,
  type TrustState,
} from "./discover-mcp-config.ts";
export { type LoadMcpConfigOptions, loadMcpConfig } from "./load-mcp-config.ts";
export { openTrustStore } from "./open-trust-store.ts";
export { TrustError, type TrustErrorKind } from "./trust-error.ts";
export type { TrustDecision, TrustReading, TrustStore, TrustVerdict } from "./trust-store.ts";
