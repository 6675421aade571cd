import { verifies } from "@indus/testkit";
import { defineTool, makeLocalContext, ToolRegistry } from "indusagi/capabilities";
import type { JsonSchema } from "indusagi/llm";
import {
  type AgentTool,
  createMCPToolsRecord,
  MCPClient,
  type MCPClientOptions,
  MCPServer,
} from "indusagi/mcp";
import { expect } from "vitest";
import { connectedTo, hostOptions, listingOptions } from "../kit/in-process.ts";

/** JavaScript's engine takes seconds to find that one of these does not match `TEXT`. */
const CATASTROPHIC = ["^(a+)+$", "^(a|a)*$", "^((a+)+)+$", "^(?=(a+)+$)"];
const TEXT = `${"a".repeat(30)}!`;

/** Every keyword that leads to an expression. */
const schemas = (pattern: string): JsonSchema[] => [
  { properties: { a: { pattern } } },
  { properties: { a: { not: { pattern } } } },
  { properties: { a: { anyOf: [{ type: "null" }, { pattern }] } } },
  { patternProperties: { [pattern]: {} } },
  { propertyNames: { pattern } },
  { $ref: "#/$defs/it", $defs: { it: { properties: { a: { pattern } } } } },
  { properties: { a: { oneOf: [{ pattern }, { pattern }] } }, additionalProperties: { format: "regex" } },
];
const ARGUMENTS = { a: TEXT, [TEXT]: "(?:".repeat(1000) };

const clientOf = (server: MCPServer): MCPClientOptions => ({
  name: "s",
  config: { command: "(in this process)" },
  transport: () => connectedTo((transport) => server.connect(transport)),
});

const agentTool = (name: string, parameters: JsonSchema): AgentTool => ({
  name,
  label: name,
  description: name,
  parameters,
  execute: async () => ({ content: [{ type: "text", text: "ran" }] }),
});

async function mintedFrom(tools: readonly object[]): Promise<AgentTool[]> {
  const upstream = new MCPClient(listingOptions("up", tools));
  await upstream.connect();
  return Object.values(createMCPToolsRecord(await upstream.listTools(), upstream));
}

/** Each door: options for a client that calls tools with these schemas through it. */
const DOORS: { readonly [door: string]: (schemas: readonly JsonSchema[]) => Promise<MCPClientOptions> } = {
  MCPServer: async (all) =>
    clientOf(new MCPServer({ name: "m", tools: all.map((one, at) => agentTool(`t${at}`, one)) })),
  "minted tools in an MCPServer": async (all) => {
    const listed = all.map((one, at) => ({ name: `t${at}`, inputSchema: { type: "object", ...one } }));
    return clientOf(new MCPServer({ name: "m", tools: await mintedFrom(listed) }));
  },
  "defined tools in a host": async (all) => {
    const registry = new ToolRegistry();
    for (const [at, parameters] of all.entries())
      registry.register(
        defineTool({ name: `t${at}`, description: "", parameters, run: () => ({ content: [] }) }),
      );
    return hostOptions(
      "h",
      registry.toToolBox(() => makeLocalContext(process.cwd())),
    );
  },
};

for (const [door, optionsFor] of Object.entries(DOORS)) {
  verifies("host:hostile-schemas", `${door}: no pattern keeps the process busy`, async () => {
    const all = CATASTROPHIC.flatMap(schemas);
    await using client = new MCPClient(await optionsFor(all));
    await client.connect();
    const tools = await client.listTools();
    expect(tools).toHaveLength(all.length);
    const startMs = performance.now();
    for (const { name } of tools) await client.callTool(name, ARGUMENTS).catch(() => {});
    // Some milliseconds each. One backtracking expression alone would take far longer.
    expect(performance.now() - startMs).toBeLessThan(10_000);
  });
}
