export { createMCPServer, MCPServer } from "./mcp-server.ts";
