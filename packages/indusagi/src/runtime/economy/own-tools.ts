import { shortenText } from "../../core/index.ts";
import type { JsonSchema, ToolDescriptor } from "../../llm/index.ts";

/** The names of the tools that an economized box adds. */
export const TOOL_SEARCH = "tool_search";
export const TOOL_DESCRIBE = "tool_describe";
export const TOOL_CALL = "tool_call";
/** The tool of code mode. */
export const RUN_CODE = "run_code";

export const OWN_NAMES: ReadonlySet<string> = new Set([TOOL_SEARCH, TOOL_DESCRIBE, TOOL_CALL]);

/** Limits the list of servers: every request to a model contains it. */
const MAX_SERVERS_TEXT = 1_600;

export const SEARCH_PARAMETERS: JsonSchema = {
  type: "object",
  properties: {
    query: {
      type: "string",
      description:
        'What the tool should do: service, action and object, with other words for them, such as "linear create issue ticket bug"',
    },
    server: { type: "string", description: "Only tools of this server" },
  },
  required: ["query"],
};

/** The tool that finds others. It names the servers, because a model searches only for what it expects to exist. */
export function searchTool(servers: readonly string[]): ToolDescriptor {
  const known = servers.length === 0 ? "" : ` Servers: ${shortenText(servers.join(", "), MAX_SERVERS_TEXT)}.`;
  return Object.freeze({
    name: TOOL_SEARCH,
    description:
      "Finds tools that are not listed here. Search before you say that something cannot be done. Returns the names, " +
      `purposes and signatures of the best matches; run one of them with ${TOOL_CALL}.${known}`,
    parameters: SEARCH_PARAMETERS,
    annotations: { title: "Search tools", readOnlyHint: true, openWorldHint: false },
  });
}

export const DESCRIBE_TOOL: ToolDescriptor = Object.freeze({
  name: TOOL_DESCRIBE,
  description: "Returns the full definitions of tools: the whole description and the schemas.",
  parameters: {
    type: "object",
    properties: { names: { type: "array", items: { type: "string" }, description: "Names of tools" } },
    required: ["names"],
  },
  annotations: { title: "Describe tools", readOnlyHint: true, openWorldHint: false },
});

export const CALL_TOOL: ToolDescriptor = Object.freeze({
  name: TOOL_CALL,
  description: "Calls a tool that is not listed here, and returns its result unchanged.",
  parameters: {
    type: "object",
    properties: {
      name: { type: "string", description: `The tool's name, as ${TOOL_SEARCH} gives it` },
      arguments: { type: "object", description: "The tool's arguments" },
    },
    required: ["name"],
  },
  annotations: { title: "Call a tool" },
});
