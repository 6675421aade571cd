export { MCPClientPool, type MCPSupervisedPoolOptions } from "./mcp-client-pool.ts";
