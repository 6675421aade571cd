export { canonToolName } from "../launch/internal.ts";
export { processTerminal, type Terminal } from "../screen/terminal/index.ts";
export {
  type Invocation,
  type LoadMcpOptions,
  loadMcpCapabilities,
  type McpCapabilities,
} from "./load-mcp-capabilities.ts";
export { productVersion } from "./product-version.ts";
export { buildSessionTools, type SessionToolsOptions } from "./tools/build-session-tools.ts";
