export { callTool } from "./call-tool.ts";
export { FleetMember } from "./fleet-member.ts";
export { clientCoreOf, MCPClient } from "./mcp-client.ts";
export { DEFAULT_TIMEOUT, requestTimes } from "./translate-config.ts";
