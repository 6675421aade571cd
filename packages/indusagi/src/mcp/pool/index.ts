export { MCPClientPool } from "./mcp-client-pool.ts";
