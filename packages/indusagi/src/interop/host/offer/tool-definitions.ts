import type { ToolDescriptor } from "../../../llm/index.ts";
import { type LeftOut, publishable, publishableItems } from "../../content/index.ts";
import type { RawResult } from "../../contract/index.ts";

/** The `tools/list` result for a version of a box. */
export interface ToolListing {
  readonly result: RawResult;
  readonly named: ReadonlyMap<string, RawResult>;
  /** The tools of ours that are left out. The status of a server has those that are its own. */
  readonly leftOut: readonly LeftOut[];
}

/**
 * The listing for each version of a box. A box returns the same array until it changes, so each listing is built
 * once.
 */
const validListings = new WeakMap<readonly ToolDescriptor[], ToolListing>();
const receivedListings = new WeakMap<readonly ToolDescriptor[], ToolListing>();

/** The `tools/list` result for these descriptors. `asReceived`: also with definitions that official clients refuse. */
export function toolListing(descriptors: readonly ToolDescriptor[], asReceived = false): ToolListing {
  const listings = asReceived ? receivedListings : validListings;
  let listing = listings.get(descriptors);
  if (!listing) {
    listing = asReceived
      ? listingOf(descriptors.map((tool) => toolDefinition(tool)))
      : validListing(descriptors);
    listings.set(descriptors, listing);
  }
  return listing;
}

function validListing(descriptors: readonly ToolDescriptor[]): ToolListing {
  const leftOut: LeftOut[] = [];
  const tools = descriptors.flatMap((tool) => {
    if (tool.definition) {
      const definition = publishedDefinition(tool);
      return definition ? [toolDefinition(tool, definition)] : [];
    }
    const ours = publishableItems("tools", [toolDefinition(tool)]);
    leftOut.push(...ours.leftOut);
    return ours.items;
  });
  return listingOf(tools, leftOut);
}

function listingOf(tools: readonly RawResult[], leftOut: readonly LeftOut[] = []): ToolListing {
  const named = new Map(tools.map((tool) => [String(tool["name"]), tool]));
  return { result: Object.freeze({ tools }), named, leftOut };
}

/** The definition of a tool's server as it is sent. It is judged before it is renamed: its object is the same in every list. */
function publishedDefinition({ definition, name }: ToolDescriptor): RawResult | undefined {
  if (!definition) return undefined;
  return publishable("tools", typeof definition["name"] === "string" ? definition : { ...definition, name });
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
 * for a tool of ours its descriptor. `definition`: the definition to send.
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
