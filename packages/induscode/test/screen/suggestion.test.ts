import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { nearNames } from "../../src/screen/suggestion.ts";

verifies(
  "command:unknown-tool",
  "a typing error, a part of a name and another case are similar; another word is not",
  () => {
    const names = ["notes__add", "notes__search", "units__convert"];
    expect(nearNames("notes__serch", names)).toEqual(["notes__search"]);
    expect(nearNames("convert", names)).toEqual(["units__convert"]);
    expect(nearNames("Notes-Add", names)).toEqual(["notes__add"]);
    expect(nearNames("weather", names)).toEqual([]);
  },
);
