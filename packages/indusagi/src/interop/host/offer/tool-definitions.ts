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

/**
 * A tool as an MCP client sees it: its server's definition under our name, or for a tool of ours its descriptor.
 * Nothing is normalized again.
 */
export function toolDefinition(descriptor: ToolDescriptor): RawResult {
  const { name, definition } = descriptor;
  if (definition) return { ...definition, name };
  const { title, description, parameters, annotations, outputSchema } = descriptor;
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
