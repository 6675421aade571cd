import type { ToolDescriptor } from "../../../llm/index.ts";
import type { RawResult } from "../../contract/index.ts";

/**
 * The listing for each version of a box. A box returns the same array until it changes, so each listing is built
 * once.
 */
const listings = new WeakMap<readonly ToolDescriptor[], RawResult>();

/** The `tools/list` result for these descriptors. */
export function toolListing(descriptors: readonly ToolDescriptor[]): RawResult {
  let listing = listings.get(descriptors);
  if (!listing) {
    listing = Object.freeze({ tools: descriptors.map(toolDefinition) });
    listings.set(descriptors, listing);
  }
  return listing;
}

/** The tools of each version of a box by name, because each call looks one up. */
const tables = new WeakMap<readonly ToolDescriptor[], ReadonlyMap<string, ToolDescriptor>>();

export function toolNamed(descriptors: readonly ToolDescriptor[], name: string): ToolDescriptor | undefined {
  let table = tables.get(descriptors);
  if (!table) {
    table = new Map(descriptors.map((tool) => [tool.name, tool]));
    tables.set(descriptors, table);
  }
  return table.get(name);
}

/**
 * A tool as an MCP client sees it: its server's definition under our name, with our description if that is another one, or
 * for a tool of ours its descriptor. Nothing is normalized again.
 */
export function toolDefinition(descriptor: ToolDescriptor): RawResult {
  const { name, definition } = descriptor;
  const { description } = descriptor;
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
