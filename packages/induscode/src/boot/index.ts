export { canonToolName } from "../launch/internal.ts";
export { productVersion } from "./product-version.ts";
export { buildSessionTools, type SessionToolsOptions } from "./session/build-session-tools.ts";
export {
  type Invocation,
  type LoadMcpOptions,
  loadMcpCapabilities,
  type McpCapabilities,
} from "./session/load-mcp-capabilities.ts";
export { processTerminal, type Terminal } from "./terminal.ts";
