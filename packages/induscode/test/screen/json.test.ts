import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { showJson } from "../../src/screen/index.ts";

verifies("command:mcp-call", "printed JSON has no control characters and parses to the same value", () => {
  const value = { text: "\u001b[2J\u202e\u009b\u{e0041}é\u{1f600}\n" };
  const shown = showJson(value);
  expect(shown).not.toMatch(/[\u001b\u202e\u009b\u{e0041}]/u);
  expect(JSON.parse(shown)).toEqual(value);
});
