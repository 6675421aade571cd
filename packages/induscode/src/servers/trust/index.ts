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
export {
  type TrustDecision,
  TrustError,
  type TrustErrorKind,
  type TrustReading,
  type TrustStore,
  type TrustVerdict,
} from "./trust-store.ts";
