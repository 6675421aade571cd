import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import type { ToolListing } from "../../../../src/interop/contract/index.ts";
import { isSameDefinition } from "../../../../src/interop/endpoint/index.ts";
import { ToolCatalogue } from "../../../../src/interop/endpoint/list/tool-catalogue.ts";

const json = fc.jsonValue({ maxDepth: 4 });

/** The same value with the members of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

/** Parsed from text, as from a server: `JSON.parse` has no depth limit. */
function nested(levels: number): unknown {
  return JSON.parse(`${'{"items":'.repeat(levels)}{}${"}".repeat(levels)}`);
}

function listingOf(...definitions: unknown[]): ToolListing {
  const tools = definitions.map((outputSchema, at) => {
    const name = `tool${at}`;
    const descriptor = { name, description: "", parameters: { type: "object" as const } };
    return { ref: { server: "s", name }, descriptor, definition: { name, outputSchema } };
  });
  return { tools, skipped: [], truncated: false };
}

verifies("listing:same-definition", "the order of members does not matter, everything else does", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(isSameDefinition(value, reversed(value))).toBe(true);
      expect(isSameDefinition({ name: "a", value }, { name: "b", value })).toBe(false);
      expect(isSameDefinition([value, 1], [1, value])).toBe(JSON.stringify(value) === "1");
    }),
  );
});

verifies(
  "listing:same-definition",
  "a definition that is too deep counts as different and never throws",
  () => {
    const deep = nested(100_000);
    expect(isSameDefinition(deep, deep)).toBe(true);
    expect(isSameDefinition(deep, nested(100_000))).toBe(false);
  },
);

verifies(
  "listing:same-definition",
  "a catalogue accepts a new listing that is too deep to compare",
  async () => {
    const changes: ToolListing[] = [];
    const listings = [nested(100_000), nested(100_000), {}].map((schema) => listingOf(schema));
    const [first, second] = listings;
    const catalogue = new ToolCatalogue({
      list: async () => listings.shift() as ToolListing,
      onChanged: (listing) => changes.push(listing),
    });
    expect(await catalogue.get()).toBe(first);
    catalogue.invalidate(0);
    await expect.poll(() => catalogue.known).toBe(second);
    expect(changes.length).toBe(1); // Not `toEqual`: it cannot compare a value this deep.
    expect(changes[0]).toBe(second);
    catalogue.stop();
  },
);

verifies(
  "listing:same-definition",
  "a catalogue reports other tools, not another order of members",
  async () => {
    const changes: number[] = [];
    const listings = [
      listingOf({ type: "object", title: "a" }),
      listingOf({ title: "a", type: "object" }),
      listingOf({ title: "a", type: "object" }, {}),
    ];
    const catalogue = new ToolCatalogue({
      list: async () => listings.shift() as ToolListing,
      onChanged: ({ tools }) => changes.push(tools.length),
    });
    await catalogue.get();
    catalogue.invalidate(0);
    await expect.poll(() => listings.length).toBe(1);
    catalogue.invalidate(0);
    await expect.poll(() => catalogue.count).toBe(2);
    expect(changes).toEqual([2]);
    catalogue.stop();
  },
);
