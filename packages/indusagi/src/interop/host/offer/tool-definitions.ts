import type { ToolDescriptor } from "../../../llm/index.ts";
import type { RawResult } from "../../contract/index.ts";

/** The listing of each version of a box. Boxes give the same array until they change, so each is built once. */
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
 * A tool as an MCP client sees it: exactly what its own server said of it, under our name; or, for a tool of ours,
 * what its descriptor says. Nothing is normalised a second time.
 */
export function toolDefinition(descriptor: ToolDescriptor): RawResult {
  const { name, definition } = descriptor;
  if (definition) return { ...definition, name };
  const { title, description, parameters, annotations, outputSchema } = descriptor;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    // The protocol wants an object at the root, and says so in the schema itself.
    inputSchema: { type: "object", ...parameters },
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}
