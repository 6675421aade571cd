// For the rooms of this package alone. Loading it loads nothing heavy: what opens a connection is imported when used.
export { demoServers } from "./demo-servers.ts";
export { firstOf } from "./first-of.ts";
export { loadServers } from "./load-servers.ts";
export { openGateway } from "./open-gateway.ts";
export { openServers } from "./open-servers.ts";
export { shutdownSignal } from "./watch-ending.ts";
