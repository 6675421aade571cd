import { verifies } from "@indus/testkit";
import {
  type AgentTool,
  type BaseServerOptions,
  type HttpServerConfig,
  type InitializedMCP,
  type MCPClientOptions,
  type MCPClientPoolOptions,
  type MCPClientState,
  type MCPConfigFile,
  type MCPConnectionOptions,
  type MCPContentBlock,
  type MCPElicitationHandler,
  type MCPElicitRequest,
  type MCPElicitResult,
  MCPErrorCode,
  type MCPInitializeResult,
  type MCPLoggingLevel,
  type MCPLogHandler,
  type MCPLogMessage,
  type MCPProgressHandler,
  type MCPProgressNotification,
  type MCPPrompt,
  type MCPResource,
  type MCPRoot,
  type MCPServerConfig,
  type MCPServerConfigEntry,
  type MCPServerOptions,
  type MCPServerStatus,
  type MCPToolCallRequest,
  type MCPToolCallResult,
  type MCPToolClient,
  type MCPToolDefinition,
  type StdioServerConfig,
} from "indusagi/mcp";
import { expect } from "vitest";

/** The thirty type names, each with the members it is known by: the compiler is the judge. */
interface Types {
  MCPClientOptions: Has<
    MCPClientOptions,
    "name" | "config" | "timeout" | "logger" | "enableServerLogs" | "enableProgressTracking" | "roots"
  >;
  MCPClientPoolOptions: Has<MCPClientPoolOptions, "servers">;
  MCPServerStatus: Has<MCPServerStatus, "name" | "connected" | "toolCount" | "resourceCount" | "promptCount">;
  MCPServerOptions: Has<MCPServerOptions, "name" | "tools" | "version" | "description">;
  MCPToolClient: Has<MCPToolClient, "serverName" | "connected" | "callTool">;
  StdioServerConfig: Has<StdioServerConfig, "command" | "args" | "env" | "cwd">;
  HttpServerConfig: Has<HttpServerConfig, "url" | "headers" | "fetch">;
  MCPServerConfig: StdioServerConfig | HttpServerConfig extends MCPServerConfig ? true : never;
  MCPConnectionOptions: Has<MCPConnectionOptions, "name" | "config" | "timeout">;
  MCPToolDefinition: Has<MCPToolDefinition, "name" | "inputSchema" | "description" | "outputSchema">;
  MCPResource: Has<MCPResource, "uri" | "name" | "mimeType" | "description">;
  MCPPrompt: Has<MCPPrompt, "name" | "description" | "arguments">;
  MCPInitializeResult: Has<MCPInitializeResult, "protocolVersion" | "serverInfo" | "capabilities">;
  MCPClientState: Has<MCPClientState, "connected" | "serverName" | "tools" | "resources" | "prompts">;
  MCPToolCallRequest: Has<MCPToolCallRequest, "name" | "arguments">;
  MCPContentBlock: "text" | "image" | "resource" extends MCPContentBlock["type"] ? true : never;
  MCPToolCallResult: Has<MCPToolCallResult, "content" | "isError" | "structuredContent">;
  MCPServerConfigEntry: Has<
    MCPServerConfigEntry,
    "name" | "command" | "args" | "env" | "url" | "headers" | "timeout" | "enabled"
  >;
  MCPConfigFile: Has<MCPConfigFile, "servers">;
  MCPLoggingLevel: "debug" | "emergency" extends MCPLoggingLevel ? true : never;
  MCPLogMessage: Has<MCPLogMessage, "level" | "message" | "serverName">;
  MCPLogHandler: MCPLogHandler extends (message: MCPLogMessage) => void ? true : never;
  MCPProgressNotification: Has<MCPProgressNotification, "progress" | "total" | "message">;
  MCPProgressHandler: MCPProgressHandler extends (note: MCPProgressNotification) => void ? true : never;
  MCPElicitRequest: Has<MCPElicitRequest, "message" | "requestedSchema">;
  MCPElicitResult: "accept" | "decline" | "cancel" extends MCPElicitResult["action"] ? true : never;
  MCPElicitationHandler: ReturnType<MCPElicitationHandler> extends Promise<MCPElicitResult> ? true : never;
  MCPRoot: Has<MCPRoot, "uri" | "name">;
  BaseServerOptions: MCPClientOptions extends BaseServerOptions ? true : never;
  InitializedMCP: Has<InitializedMCP, "pool" | "toolCount">;
}
type Has<Type, Members extends keyof Type> = [Members] extends [never] ? never : true;

const TYPES: { readonly [name in keyof Types]: Types[name] } = {
  MCPClientOptions: true,
  MCPClientPoolOptions: true,
  MCPServerStatus: true,
  MCPServerOptions: true,
  MCPToolClient: true,
  StdioServerConfig: true,
  HttpServerConfig: true,
  MCPServerConfig: true,
  MCPConnectionOptions: true,
  MCPToolDefinition: true,
  MCPResource: true,
  MCPPrompt: true,
  MCPInitializeResult: true,
  MCPClientState: true,
  MCPToolCallRequest: true,
  MCPContentBlock: true,
  MCPToolCallResult: true,
  MCPServerConfigEntry: true,
  MCPConfigFile: true,
  MCPLoggingLevel: true,
  MCPLogMessage: true,
  MCPLogHandler: true,
  MCPProgressNotification: true,
  MCPProgressHandler: true,
  MCPElicitRequest: true,
  MCPElicitResult: true,
  MCPElicitationHandler: true,
  MCPRoot: true,
  BaseServerOptions: true,
  InitializedMCP: true,
};

verifies("mcp:names", "thirty types", () => {
  expect(Object.keys(TYPES)).toHaveLength(30);
});

verifies("mcp:names", "thirteen codes, each its own value", () => {
  expect(Object.entries(MCPErrorCode)).toEqual([
    ["CONNECTION_FAILED", "CONNECTION_FAILED"],
    ["TIMEOUT", "TIMEOUT"],
    ["TOOL_NOT_FOUND", "TOOL_NOT_FOUND"],
    ["INVALID_PARAMETERS", "INVALID_PARAMETERS"],
    ["SERVER_ERROR", "SERVER_ERROR"],
    ["TRANSPORT_ERROR", "TRANSPORT_ERROR"],
    ["NOT_CONNECTED", "NOT_CONNECTED"],
    ["PROTOCOL_ERROR", "PROTOCOL_ERROR"],
    ["CONFIG_ERROR", "CONFIG_ERROR"],
    ["SCHEMA_CONVERSION_ERROR", "SCHEMA_CONVERSION_ERROR"],
    ["RESOURCE_NOT_FOUND", "RESOURCE_NOT_FOUND"],
    ["PROMPT_NOT_FOUND", "PROMPT_NOT_FOUND"],
    ["SESSION_ERROR", "SESSION_ERROR"],
  ]);
});

verifies("mcp:names", "a plain object with name, parameters and execute is an agent's tool", async () => {
  const echo: AgentTool = {
    name: "echo",
    parameters: {},
    execute: async (_id, params) => ({ content: [{ type: "text", text: String(params["msg"]) }] }),
  };
  expect(await echo.execute("1", { msg: "hi" })).toEqual({ content: [{ type: "text", text: "hi" }] });
});
