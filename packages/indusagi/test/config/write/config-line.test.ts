import { verifies } from "@indus/testkit";
import { configLine } from "indusagi/config";
import { expect } from "vitest";

verifies("config:line", "the line of a value, also behind comments and of a repeated name", () => {
  const text = `\uFEFF{ // first\r
  "a": 1, /*
  "b": */ "b": [
    "x",
    { "c": 1 }
  ],
  "a":
    2
}`;
  expect(configLine(text, [])).toBe(1);
  expect(configLine(text, ["a"])).toBe(7);
  expect(configLine(text, ["b"])).toBe(3);
  expect(configLine(text, ["b", 0])).toBe(4);
  expect(configLine(text, ["b", 1, "c"])).toBe(5);
  for (const path of [["z"], ["b", 2], ["a", "x"], ["b", 1, "d"], [0, "a"]])
    expect(configLine(text, path)).toBe(undefined);
  expect(configLine("{", ["a"])).toBe(undefined);
});
