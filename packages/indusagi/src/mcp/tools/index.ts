export {
  createMCPAgentToolFactory,
  type MintedToolDetails,
  type MintedToolFailure,
} from "./create-mcp-agent-tool-factory.ts";
export {
  createMCPToolsMap,
  createMCPToolsRecord,
  type MCPListingClient,
  registerMCPToolsInRegistry,
} from "./mint-tools.ts";
