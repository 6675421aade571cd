import { describeError } from "../../core/index.ts";
import { jsonText } from "../../interop/content/index.ts";
import type {
  AgentTool,
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
import { convertMCPInputSchema } from "../schema/index.ts";
import { type FitContentOptions, fitContent } from "./fit-content.ts";
import { mintedToolName } from "./tool-names.ts";

/** What went wrong with a minted tool. */
export interface MintedToolFailure {
  readonly error: string;
  readonly code?: MCPErrorCode;
  readonly serverName: string;
  readonly toolName: string;
}

/** What comes with the answer of a minted tool: the whole result before the budget, or what went wrong. */
export type MintedToolDetails = MCPToolCallResult | MintedToolFailure;

/** Makes an agent's tool of a listed one. Its `execute` always resolves; how much text it gives is a matter of options. */
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
        if (!client.connected) throw createNotConnectedError(serverName);
        const result = await client.callTool(toolName, params, {
          ...(signal ? { signal } : {}),
          ...(onUpdate ? { onProgress: (note) => onUpdate(progressUpdate(note)) } : {}),
        });
        return answered(result, options);
      } catch (thrown) {
        return failed(thrown, { serverName, toolName, signal });
      }
    },
  });
}

function answered(result: MCPToolCallResult, options: FitContentOptions): AgentToolResult<MintedToolDetails> {
  const { isError, structuredContent } = result;
  return {
    content: fitContent(readable(result), options),
    details: result,
    isError,
    ...(structuredContent === undefined ? {} : { structuredContent }),
  };
}

/** Content is the answer in words; only when there is none are the data all there is to tell. */
function readable({ content, structuredContent }: MCPToolCallResult): readonly MCPContentBlock[] {
  if (content.length > 0 || structuredContent === undefined) return content;
  return [{ type: "text", text: jsonText(structuredContent) }];
}

function progressUpdate(note: {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}): AgentToolResult<MintedToolDetails> {
  const { progress, total, message } = note;
  const far = total === undefined ? String(progress) : `${progress}/${total}`;
  return { content: [{ type: "text", text: message === undefined ? far : `${far} ${message}` }] };
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
  whose: Pick<MintedToolFailure, "serverName" | "toolName">,
): AgentToolResult<MintedToolDetails> {
  return {
    content: [{ type: "text", text }],
    details: { error: error?.message ?? text, ...(error ? { code: error.code } : {}), ...whose },
    isError: true,
  };
}
