import type { ToolDescriptor } from "../../../llm/index.ts";
import { type LeftOut, publishable, publishableItems } from "../../content/index.ts";
import type { RawResult } from "../../contract/index.ts";

/** The `tools/list` result for a version of a box. */
export interface PublishedTools {
  readonly result: RawResult;
  /** Our own tools that are left out. Those of a server are in its status. */
  readonly leftOut: readonly LeftOut[];
}

/** A box returns the same array until it changes, and a tool keeps its descriptor, so each listing is built once. */
const validListings = new WeakMap<readonly ToolDescriptor[], PublishedTools>();
const receivedListings = new WeakMap<readonly ToolDescriptor[], PublishedTools>();
const validTools = new WeakMap<ToolDescriptor, ListedTool>();
const receivedTools = new WeakMap<ToolDescriptor, ListedTool>();

/** The `tools/list` result for these descriptors. `asReceived`: even with definitions that official clients refuse. */
export function toolListing(descriptors: readonly ToolDescriptor[], asReceived = false): PublishedTools {
  const listings = asReceived ? receivedListings : validListings;
  const known = listings.get(descriptors);
  if (known) return known;
  const listed = descriptors.map((tool) => listedOf(tool, asReceived));
  const tools = listed.flatMap(({ definition }) => definition ?? []);
  const listing = { result: Object.freeze({ tools }), leftOut: listed.flatMap(({ leftOut }) => leftOut) };
  listings.set(descriptors, listing);
  return listing;
}

/** One tool as `tools/list` has it; undefined if it is left out. */
export function listedTool(tool: ToolDescriptor, asReceived = false): RawResult | undefined {
  return listedOf(tool, asReceived).definition;
}

interface ListedTool {
  readonly definition?: RawResult | undefined;
  readonly leftOut: readonly LeftOut[];
}

function listedOf(tool: ToolDescriptor, asReceived: boolean): ListedTool {
  const tools = asReceived ? receivedTools : validTools;
  const known =
    tools.get(tool) ?? (asReceived ? { definition: toolDefinition(tool), leftOut: [] } : validTool(tool));
  tools.set(tool, known);
  return known;
}

function validTool(tool: ToolDescriptor): ListedTool {
  const { definition, name } = tool;
  if (!definition) {
    const { items, leftOut } = publishableItems("tools", [toolDefinition(tool)]);
    return { definition: items[0], leftOut };
  }
  // Checked before it is renamed: the definition is the same object in every list.
  const own = typeof definition["name"] === "string" ? definition : { ...definition, name };
  const published = publishable("tools", own);
  return { definition: published && toolDefinition(tool, published), leftOut: [] };
}

/**
 * A tool as an MCP client sees it: its server's definition under our name, with our description if that differs or, for our
 * own tool, its descriptor. `definition`: the definition to send.
 */
export function toolDefinition(
  descriptor: ToolDescriptor,
  definition: ToolDescriptor["definition"] = descriptor.definition,
): RawResult {
  const { name, description } = descriptor;
  if (definition) {
    const own = definition["description"];
    const isOwn = description === (typeof own === "string" ? own : "");
    return { ...definition, name, ...(isOwn ? {} : { description }) };
  }
  const { title, parameters, annotations, outputSchema } = descriptor;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    // The protocol requires an object schema at the root.
    inputSchema: { type: "object", ...parameters },
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}
