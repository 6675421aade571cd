import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { makeLocalContext } from "indusagi/capabilities";
import { type Capability, ToolDeck } from "induscode/deck";
import { expect } from "vitest";
import { capability, LiveSource } from "./sample-capabilities.ts";

type Step =
  | { readonly do: "graft"; readonly names: readonly string[] }
  | { readonly do: "follow"; readonly source: number }
  | { readonly do: "map"; readonly mark: string }
  | { readonly do: "retain"; readonly without: string }
  | { readonly do: "change"; readonly source: number; readonly names: readonly string[] };

const name = fc.constantFrom("a", "b", "c", "d", "e");
const names = fc.uniqueArray(name, { maxLength: 4 });
const source = fc.nat({ max: 1 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("graft" as const), names }),
    fc.record({ do: fc.constant("follow" as const), source }),
    fc.record({ do: fc.constant("map" as const), mark: fc.constantFrom("x", "y") }),
    fc.record({ do: fc.constant("retain" as const), without: name }),
    fc.record({ do: fc.constant("change" as const), source, names }),
  ),
  { maxLength: 20 },
);

function take(deck: ToolDeck, sources: readonly LiveSource[], step: Step): void {
  const live = "source" in step ? sources[step.source] : undefined;
  if (step.do === "graft") deck.graft(step.names.map((each) => capability(each)));
  else if (step.do === "follow" && live) deck.graft(live);
  else if (step.do === "map") deck.mapCapabilities((inner) => ({ ...inner, label: inner.label + step.mark }));
  else if (step.do === "retain") deck.retain((inner) => inner.name !== step.without);
  else if (step.do === "change") live?.replace(...step.names.map((each) => capability(each)));
}

const emptyDeck = (): ToolDeck => new ToolDeck([], makeLocalContext("."));
const shown = (list: readonly Capability[]): string[] => list.map(({ name: id, label }) => `${id}:${label}`);

verifies(
  "deck:graft-live",
  "a deck that followed all changes equals one that saw only the last state",
  () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const sources = [new LiveSource(), new LiveSource()];
        const followed = emptyDeck();
        for (const step of taken) take(followed, sources, step);
        const fresh = emptyDeck();
        for (const step of taken) if (step.do !== "change") take(fresh, sources, step);
        expect(shown(followed.tools())).toEqual(shown(fresh.tools()));
      }),
    );
  },
);

verifies("deck:graft-live", "the events of the box add up to its list, and names are unique", () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const sources = [new LiveSource(), new LiveSource()];
      const deck = emptyDeck();
      const box = deck.intoToolBox();
      const known = new Map<string, unknown>();
      box.onChange(({ added, changed, removed }) => {
        for (const { name: id } of removed) expect(known.delete(id)).toBe(true);
        for (const each of added) expect(known.has(each.name)).toBe(false);
        for (const each of [...added, ...changed]) known.set(each.name, each);
      });
      for (const step of taken) take(deck, sources, step);
      const list = box.descriptors();
      expect(new Set(list.map(({ name: id }) => id)).size).toBe(list.length);
      expect(new Set(known.values())).toEqual(new Set(list));
    }),
  );
});
