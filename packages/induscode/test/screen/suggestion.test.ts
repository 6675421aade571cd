import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { suggestion, unknownToolMessage } from "../../src/screen/index.ts";

const NAMES = ["notes__add", "notes__search", "units__convert"];

verifies(
  "command:unknown-tool",
  "a typing error and a part of a name are recognised; another word is not",
  async () => {
    for (const [name, hint] of [
      ["notes__serch", "did you mean notes__search?"],
      ["convert", "did you mean units__convert?"],
      ["Notes-Add", "did you mean notes__add?"],
      ["notes", "did you mean notes__add or notes__search?"],
      ["weather", "see indus --help"],
    ] as const)
      expect(await suggestion(name, NAMES, "see indus --help")).toBe(hint);
    expect(await unknownToolMessage("weather", NAMES, "indus tools")).toBe(
      'there is no tool named "weather"; indus tools lists the tools',
    );
  },
);
