import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { definedMembers } from "../../../src/core/internal.ts";

verifies("core:defined-members", "undefined members are left out, all other values stay in order", () => {
  const title = undefined as string | undefined;
  const defined: { readonly title?: string } = definedMembers({ b: null, title, a: 0, c: "", d: false });
  expect(Object.entries(defined)).toEqual([
    ["b", null],
    ["a", 0],
    ["c", ""],
    ["d", false],
  ]);
});
