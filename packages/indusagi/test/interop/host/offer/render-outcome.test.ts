import { verifies } from "@indus/testkit";
import type { ToolOutcome } from "indusagi/runtime";
import { expect } from "vitest";
import { renderOutcome } from "../../../../src/interop/host/offer/provide-tools.ts";

/** The outcome of a mounted tool whose server sent this result. */
function sent(value: object): ToolOutcome {
  const result = { content: [], isError: false };
  return {
    id: "1",
    output: "",
    isError: false,
    result,
    wire: { value: () => value },
  } as unknown as ToolOutcome;
}

const content = [{ type: "text", text: "42" }];
const identity = { "io.modelcontextprotocol/serverInfo": { name: "upstream", version: "1.0.0" } };

verifies(
  "host:republish",
  "the modern envelope of an upstream result, with its identity, is not passed on",
  () => {
    expect(renderOutcome(sent({ content, resultType: "complete", _meta: identity }))).toEqual({ content });
    const both = { content, resultType: "complete", _meta: { ...identity, "example.org/a": 1 } };
    expect(renderOutcome(sent(both))).toEqual({ content, _meta: { "example.org/a": 1 } });
    expect(renderOutcome(sent({ content, resultType: "complete", odd: 1 }))).toEqual({ content, odd: 1 });
  },
);

verifies("host:republish", "a result of the legacy era is passed on as it is", () => {
  const legacy = { content, _meta: { ...identity, "example.org/a": 1 } };
  expect(renderOutcome(sent(legacy))).toBe(legacy);
});
