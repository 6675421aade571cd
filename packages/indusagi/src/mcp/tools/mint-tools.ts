import { definedMembers } from "../../core/internal.ts";
import type { AgentTool, AgentToolRegistry, MCPToolClient, MCPToolDefinition } from "../contract/index.ts";
import { createMCPAgentToolFactory, type MintedToolDetails } from "./create-mcp-agent-tool-factory.ts";
import type { FitContentOptions } from "./fit-content.ts";

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
