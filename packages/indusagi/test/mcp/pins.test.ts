import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import * as facade from "indusagi/mcp";
import { expect } from "vitest";

const VALUES = [
  "MCPClient",
  "MCPClientPool",
  "MCPServer",
  "createMCPServer",
  "createMCPAgentToolFactory",
  "registerMCPToolsInRegistry",
  "createMCPToolsMap",
  "createMCPToolsRecord",
  "jsonSchemaToTypeBox",
  "applyPassthrough",
  "convertMCPInputSchema",
  "convertMCPOutputSchema",
  "loadMCPConfig",
  "getUserConfigPath",
  "getProjectConfigPath",
  "ensureUserConfigDir",
  "ensureProjectConfigDir",
  "saveConfig",
  "saveUserConfig",
  "saveProjectConfig",
  "createDefaultConfig",
  "EXAMPLE_CONFIG",
  "MCPError",
  "MCPErrorCode",
  "isMCPError",
  "isSessionError",
  "createConnectionError",
  "createTimeoutError",
  "createToolNotFoundError",
  "createInvalidParametersError",
  "createServerError",
  "createNotConnectedError",
  "createConfigError",
  "createSchemaConversionError",
  "initializeMCP",
];

const TYPES = [
  "MCPClientOptions",
  "MCPClientPoolOptions",
  "MCPServerStatus",
  "MCPServerOptions",
  "MCPToolClient",
  "StdioServerConfig",
  "HttpServerConfig",
  "MCPServerConfig",
  "MCPConnectionOptions",
  "MCPToolDefinition",
  "MCPResource",
  "MCPPrompt",
  "MCPInitializeResult",
  "MCPClientState",
  "MCPToolCallRequest",
  "MCPContentBlock",
  "MCPToolCallResult",
  "MCPServerConfigEntry",
  "MCPConfigFile",
  "MCPLoggingLevel",
  "MCPLogMessage",
  "MCPLogHandler",
  "MCPProgressNotification",
  "MCPProgressHandler",
  "MCPElicitRequest",
  "MCPElicitResult",
  "MCPElicitationHandler",
  "MCPRoot",
  "BaseServerOptions",
  "InitializedMCP",
];

/** Ours, beyond the sister edition's. */
const ADDITIONS = [
  "fitContent",
  "mintedToolName",
  "toAiSdkTools",
  "toAnthropicTools",
  "toGeminiTools",
  "toLangChainTools",
  "toOpenAITools",
];

verifies("mcp:pins", "it exports 35 shared values, and besides them only our own additions", () => {
  expect(VALUES).toHaveLength(35);
  expect(Object.keys(facade).toSorted()).toEqual([...VALUES, ...ADDITIONS].toSorted());
});

verifies(
  "mcp:pins",
  "it exports 30 shared types and AgentTool; the compiler checks their members elsewhere",
  () => {
    expect(new Set([...VALUES, ...TYPES]).size).toBe(65);
    const index = readFileSync(fileURLToPath(new URL("../../src/mcp/index.ts", import.meta.url)), "utf8");
    const exported = new Set(index.match(/[A-Za-z]+/g));
    expect([...TYPES, "AgentTool"].filter((name) => !exported.has(name))).toEqual([]);
  },
);
