export { callTool } from "./call-tool.ts";
export { requestTimes } from "./client-timeouts.ts";
export { ConnectAttempt, type EndpointSource } from "./endpoint-source.ts";
export { coreOf, MCPClient } from "./mcp-client.ts";
export { DEFAULT_TIMEOUT } from "./translate-config.ts";
