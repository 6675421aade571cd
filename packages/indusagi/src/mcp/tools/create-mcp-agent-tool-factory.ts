import { describeError } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import { jsonText } from "../../interop/content/index.ts";
import type { ProgressNote } from "../../runtime/index.ts";
import { MCPClient } from "../client/index.ts";
import type {
  AgentTool,
  AgentToolRegistry,
  AgentToolResult,
  MCPContentBlock,
  MCPToolCallResult,
  MCPToolClient,
  MCPToolDefinition,
} from "../contract/index.ts";
import {
  createNotConnectedError,
  isMCPError,
  type MCPError,
  type MCPErrorCode,
  translateError,
} from "../errors/index.ts";
import { convertMCPInputSchema } from "../schema/convert-mcp-schema.ts";
import { type FitContentOptions, fitContent } from "./fit-content.ts";
import { mintedToolName } from "./tool-names.ts";

/** Describes the failure of a minted tool. */
export interface MintedToolFailure {
  readonly error: string;
  readonly code?: MCPErrorCode;
  readonly serverName: string;
  readonly toolName: string;
}

/** The `details` of a minted tool's result: the whole result, not cut to the budget, or a description of the failure. */
export type MintedToolDetails = MCPToolCallResult | MintedToolFailure;

/** Creates an agent's tool from a listed one. Its `execute` always resolves; `options` limit the text it returns. */
export function createMCPAgentToolFactory(
  mcpTool: MCPToolDefinition,
  client: MCPToolClient,
  options: FitContentOptions = {},
): () => AgentTool<MintedToolDetails> {
  const { name: toolName, description, inputSchema } = mcpTool;
  const { serverName } = client;
  return () => ({
    name: mintedToolName(serverName, toolName),
    label: toolName,
    description: `[${serverName}] ${description ?? toolName}`,
    category: "mcp",
    parameters: convertMCPInputSchema(inputSchema),
    execute: async (_toolCallId, params, signal, onUpdate) => {
      try {
        signal?.throwIfAborted();
        // An `MCPClient` checks this itself: in a pool it waits for a restarting server.
        if (!client.connected && !(client instanceof MCPClient)) throw createNotConnectedError(serverName);
        const onProgress = onUpdate ? (note: ProgressNote) => onUpdate(progressUpdate(note)) : undefined;
        const result = await client.callTool(toolName, params, definedMembers({ signal, onProgress }));
        return answered(result, options);
      } catch (thrown) {
        return failed(thrown, { serverName, toolName, signal });
      }
    },
  });
}

function answered(result: MCPToolCallResult, options: FitContentOptions): AgentToolResult<MintedToolDetails> {
  const { isError, structuredContent } = result;
  return definedMembers({
    content: fitContent(readable(result), options),
    details: result,
    isError,
    structuredContent,
  });
}

/** The content blocks; without any, the structured content as text. */
function readable({ content, structuredContent }: MCPToolCallResult): readonly MCPContentBlock[] {
  if (content.length > 0 || structuredContent === undefined) return content;
  return [{ type: "text", text: jsonText(structuredContent) }];
}

function progressUpdate({ progress, total, message }: ProgressNote): AgentToolResult<MintedToolDetails> {
  const position = total === undefined ? String(progress) : `${progress}/${total}`;
  return { content: [{ type: "text", text: message === undefined ? position : `${position} ${message}` }] };
}

interface FailedCall {
  readonly serverName: string;
  readonly toolName: string;
  readonly signal: AbortSignal | undefined;
}

function failed(
  thrown: unknown,
  { serverName, toolName, signal }: FailedCall,
): AgentToolResult<MintedToolDetails> {
  const error = translateError(thrown, { site: "call", serverName, toolName, signal });
  if (isMCPError(error)) return failure(`MCP Error: ${error.message}`, error, { serverName, toolName });
  const message = `tool "${toolName}" of server "${serverName}" was aborted: ${describeError(error)}`;
  return failure(message, undefined, { serverName, toolName });
}

function failure(
  text: string,
  error: MCPError | undefined,
  subject: Pick<MintedToolFailure, "serverName" | "toolName">,
): AgentToolResult<MintedToolDetails> {
  return {
    content: [{ type: "text", text }],
    details: definedMembers({ error: error?.message ?? text, code: error?.code, ...subject }),
    isError: true,
  };
}

/** A client that can list its tools, e.g. an `MCPClient`. */
export interface MCPListingClient extends MCPToolClient {
  listTools(): Promise<readonly MCPToolDefinition[]>;
}

/** Registers a client's tools, all of them or only `tools`, and returns their number. */
export async function registerMCPToolsInRegistry(
  registry: AgentToolRegistry,
  client: MCPListingClient,
  tools?: readonly MCPToolDefinition[],
  options: FitContentOptions = {},
): Promise<number> {
  const listed = tools ?? (await client.listTools());
  for (const tool of listed) {
    const factory = createMCPAgentToolFactory(tool, client, options);
    const { name, label, description, category } = factory();
    // A registry may be asynchronous.
    await registry.register(definedMembers({ name, label, description, category }), factory);
  }
  return listed.length;
}

/** Creates minted tools, by the name that a model uses. */
export function createMCPToolsMap(
  tools: readonly MCPToolDefinition[],
  client: MCPToolClient,
  options: FitContentOptions = {},
): Map<string, AgentTool<MintedToolDetails>> {
  return new Map(
    tools.map((tool) => {
      const minted = createMCPAgentToolFactory(tool, client, options)();
      return [minted.name, minted] as const;
    }),
  );
}

/** Like `createMCPToolsMap`, as a plain object. */
export function createMCPToolsRecord(
  tools: readonly MCPToolDefinition[],
  client: MCPToolClient,
  options: FitContentOptions = {},
): Record<string, AgentTool<MintedToolDetails>> {
  return Object.fromEntries(createMCPToolsMap(tools, client, options));
}
