export { callTool } from "./call-tool.ts";
export { requestTimes } from "./client-timeouts.ts";
export { listRemoteTools } from "./list-tools.ts";
export { coreOf, MCPClient } from "./mcp-client.ts";
