import type { AgentTool, AgentToolRegistry, MCPToolClient, MCPToolDefinition } from "../contract/index.ts";
import { createMCPAgentToolFactory, type MintedToolDetails } from "./create-mcp-agent-tool-factory.ts";
import type { FitContentOptions } from "./fit-content.ts";

/** A client that can say which tools it has, as `MCPClient` can. */
export interface MCPListingClient extends MCPToolClient {
  listTools(): Promise<readonly MCPToolDefinition[]>;
}

/** Puts a client's tools into a registry, all of them or those given, and says how many. */
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
    // A registry may take its time, and then refuse.
    await registry.register(
      {
        name,
        ...(label === undefined ? {} : { label }),
        ...(description === undefined ? {} : { description }),
        ...(category === undefined ? {} : { category }),
      },
      factory,
    );
  }
  return listed.length;
}

/** The tools by the name a model calls them by. */
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

/** The same as a plain object. */
export function createMCPToolsRecord(
  tools: readonly MCPToolDefinition[],
  client: MCPToolClient,
  options: FitContentOptions = {},
): Record<string, AgentTool<MintedToolDetails>> {
  return Object.fromEntries(createMCPToolsMap(tools, client, options));
}
