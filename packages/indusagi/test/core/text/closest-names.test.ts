import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { closestNames } from "indusagi/core";
import { expect } from "vitest";

verifies(
  "core:closest-names",
  "at most three of the given names are returned, and the same name comes first",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.uniqueArray(fc.string(), { maxLength: 20 }), async (wanted, names) => {
        const found = await closestNames(wanted, names);
        expect(found.length).toBeLessThanOrEqual(3);
        for (const name of found) expect(names).toContain(name);
        const others = names.filter((name) => name.length > 0);
        const [first] = await closestNames("exactly-this", [...others, "exactly-this.ts", "Exactly-This"]);
        expect(first).toBe("Exactly-This");
      }),
    );
  },
);

verifies(
  "core:closest-names",
  "typing errors, other punctuation and missing parts are found, other names are not",
  async () => {
    const tools = ["notes__add", "notes__search", "units__convert"];
    expect(await closestNames("notes__serch", tools)).toEqual(["notes__search"]);
    expect(await closestNames("convert", tools)).toEqual(["units__convert"]);
    expect(await closestNames("Notes-Add", tools)).toEqual(["notes__add"]);
    expect(await closestNames("weather", tools)).toEqual([]);
    expect(await closestNames("日報.txt", ["日本.txt", "完全別物.txt"])).toEqual(["日本.txt"]);
  },
);
