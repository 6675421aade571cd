import { verifies } from "@indus/testkit";
import { expect } from "vitest";

/** The values each subpath exports, by literal: adding a name is a decision, and this is where it is taken. */
const PINS: { readonly [subpath: string]: readonly string[] } = {
  "indusagi/llm": [],
};

for (const [subpath, names] of Object.entries(PINS)) {
  verifies("house:exports", `${subpath} exports the pinned names`, async () => {
    const module = (await import(subpath)) as object;
    expect(Object.keys(module).sort()).toEqual(names);
  });
}
