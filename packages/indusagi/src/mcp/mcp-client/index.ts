export { callTool } from "./call-tool.ts";
export { listRemoteTools } from "./list-tools.ts";
export { coreOf, MCPClient } from "./mcp-client.ts";
